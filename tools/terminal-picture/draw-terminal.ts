import { writeFileSync } from "node:fs";
import { text as readText } from "node:stream/consumers";

// Draws what `tmux capture-pane -e -p` gives as a picture: `… | node tools/terminal-picture/draw-terminal.ts out.svg`.
const COLOURS: Readonly<Record<string, string>> = {
  31: "#f38ba8",
  32: "#a6e3a1",
  33: "#f9e2af",
  36: "#89dceb",
};
const ESCAPE = "\u001B";
const LINE = 19;
const CELL = 8.43;
const PADDING = 18;

/** A terminal's screen as SVG. */
export function drawTerminal(screen: string): string {
  const lines = screen.replace(/\s+$/, "").split("\n");
  const bare = lines.map((line) => line.replaceAll(new RegExp(String.raw`${ESCAPE}\[[\d;]*m`, "g"), ""));
  const width = Math.ceil(Math.max(...bare.map((line) => line.length)) * CELL + 2 * PADDING);
  const height = lines.length * LINE + 2 * PADDING;
  const rows = lines.map((line, index) => {
    const y = PADDING + (index + 0.75) * LINE;
    return `<text x="${PADDING}" y="${y}" xml:space="preserve">${drawLine(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<rect width="100%" height="100%" rx="10" fill="#1e1e2e"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#cdd6f4">
${rows.join("\n")}
</g>
</svg>
`;
}

function drawLine(line: string): string {
  let codes = new Set<string>();
  return line.replaceAll(
    new RegExp(String.raw`${ESCAPE}\[([\d;]*)m|([^${ESCAPE}]+)`, "g"),
    (_, code: string | undefined, words: string | undefined) => {
      for (const each of (code ?? "").split(";")) codes = apply(codes, each);
      if (words === undefined) return "";
      const colour = [...codes].map((each) => COLOURS[each]).find((each) => each !== undefined);
      const style = [
        colour === undefined ? "" : ` fill="${colour}"`,
        codes.has("1") ? ' font-weight="bold"' : "",
        codes.has("2") ? ' opacity="0.6"' : "",
      ].join("");
      return `<tspan${style}>${words.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</tspan>`;
    },
  );
}

function apply(codes: Set<string>, code: string): Set<string> {
  if (code === "0") return new Set();
  if (code === "22") return new Set([...codes].filter((each) => each !== "1" && each !== "2"));
  if (code === "39") return new Set([...codes].filter((each) => COLOURS[each] === undefined));
  return code === "" ? codes : new Set([...codes, code]);
}

const [, , target] = process.argv;
if (import.meta.main && target !== undefined) writeFileSync(target, drawTerminal(await readText(process.stdin)));
