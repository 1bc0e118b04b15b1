// @module-tag long
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openTerminalInput } from "../../../src/cli/terminal/terminal-input.ts";
import { runs } from "../../support/runs.ts";

function open() {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => raw.push(isRaw) });
  const output = Object.assign(new PassThrough(), { columns: 80 });
  // The stream of a terminal has more than what is used of it here.
  const terminal = openTerminalInput(input as unknown as NodeJS.ReadStream, output as unknown as NodeJS.WriteStream);
  return {
    terminal,
    type: (text: string) => void input.emit("data", Buffer.from(text)),
    typeBytes: (bytes: Buffer) => void input.emit("data", bytes),
    read: () => String(terminal.stream.read() ?? ""),
    asked: () => String(output.read() ?? ""),
  };
}

it("turns bracketed paste on, and off again", () => {
  const { terminal, asked } = open();
  expect(asked()).toBe("\u001B[?2004h");
  terminal.close();
  expect(asked()).toBe("\u001B[?2004l");
});

it("makes one line of a paste, which becomes the lines that were pasted", () => {
  const { terminal, type, read } = open();
  type("see: \u001B[200~one\r\ntwo\rthree\n\u001B[201~!\r");
  const line = read().replace("\r", "");
  expect(line).toBe("see: one⏎two⏎three!");
  expect(terminal.expand(line)).toBe("see: one\ntwo\nthree!");
});

it("shows a long paste as a note, and sends it whole", () => {
  const { terminal, type, read } = open();
  const text = Array.from({ length: 120 }, (_, index) => `line ${index}`).join("\n");
  type(`a \u001B[200~${text}\u001B[201~ b \u001B[200~${"x".repeat(900)}\u001B[201~`);
  const line = read();
  expect(line).toBe("a [pasted 1: 120 lines] b [pasted 2: 900 characters]");
  expect(terminal.expand(line)).toBe(`a ${text} b ${"x".repeat(900)}`);
  expect(terminal.expand("[pasted 9: 3 lines]")).toBe("[pasted 9: 3 lines]");
});

it("takes Alt-Enter, Shift-Enter and Ctrl-J for a newline, and Enter for the end", () => {
  const { terminal, type, read } = open();
  type("a\u001B\rb\u001B[13;2uc\nd\r");
  const line = read();
  expect(line).toBe("a⏎b⏎c⏎d\r");
  expect(terminal.expand(line.trim())).toBe("a\nb\nc\nd");
});

it("reads the same however the bytes are cut", () => {
  const bytes = Buffer.from("é 日本 \u001B[200~p\r\nq 🌊\u001B[201~ end\u001B\rmore");
  const whole = open();
  whole.typeBytes(bytes);
  const expected = whole.read();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 6 }), (cuts) => {
      const { typeBytes, read } = open();
      // Not between Escape and Enter: a terminal sends a key in one piece.
      const key = bytes.indexOf("\u001B\r");
      const places = [0, ...cuts.filter((cut) => cut !== key + 1).toSorted((one, other) => one - other), bytes.length];
      let shown = "";
      for (const [index, from] of places.slice(0, -1).entries()) {
        typeBytes(bytes.subarray(from, places[index + 1]));
        shown += read();
      }
      expect(shown).toBe(expected);
    }),
    runs(100),
  );
});

it("keeps what is typed during an answer until it ends, but for Ctrl-C and /stop", () => {
  const { terminal, type, read } = open();
  const lines: string[] = [];
  terminal.hold((line) => lines.push(line) > 0 && line === "/stop");
  type("next ques");
  type("tion\r/st");
  type("op\r");
  expect(read()).toBe("");
  expect(lines).toEqual(["/stop"]);
  type("\u0003");
  expect(read()).toBe("\u0003");
  terminal.release();
  expect(read()).toBe("next question\r");
});
