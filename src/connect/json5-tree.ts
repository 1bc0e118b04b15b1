import type { Node } from "jsonc-parser";

// JSON5 (json5.org) is JSON as people write it by hand: unquoted keys, single quotes, comments, commas at the end. What
// reads it elsewhere tells no places, and so cannot be edited.

/** A part of the text, as jsonc-parser describes it, while it is made. */
type Tree = Omit<Node, "parent" | "children"> & { parent?: Tree; children?: Tree[] };

/** A text and how far it has been read. */
interface Reader {
  readonly text: string;
  at: number;
}

/** Reads JSON5 into a tree that knows the place of everything; what is broken is named with the place. */
export function parseJson5Tree(text: string): Node {
  const reader: Reader = { text, at: 0 };
  skipSpace(reader);
  const root = readValue(reader);
  skipSpace(reader);
  if (reader.at < text.length) fail(reader, "the end of the file expected");
  return root;
}

/** The value that a tree stands for. */
export function valueOf({ type, value, children = [] }: Node): unknown {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value;
  const table: Record<string, unknown> = {};
  for (const { children: [key, inner] = [] } of children)
    // As a field of its own, whatever it is called.
    if (key && inner)
      Object.defineProperty(table, String(key.value), {
        value: valueOf(inner),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  return table;
}

function readValue(reader: Reader): Tree {
  const first = reader.text[reader.at] ?? "";
  if (first === "{") return readList(reader, "object", "}", readProperty);
  if (first === "[") return readList(reader, "array", "]", readValue);
  if (first === '"' || first === "'") return readString(reader);
  return readWord(reader);
}

function readList(reader: Reader, type: "object" | "array", close: string, readItem: (reader: Reader) => Node): Tree {
  const offset = reader.at;
  const children: Tree[] = [];
  reader.at += 1;
  for (;;) {
    skipSpace(reader);
    if (reader.text[reader.at] === close) break;
    children.push(readItem(reader));
    skipSpace(reader);
    if (reader.text[reader.at] === close) break;
    if (reader.text[reader.at] !== ",") fail(reader, `comma or ${close} expected`);
    reader.at += 1;
  }
  reader.at += 1;
  return adopt({ type, offset, length: reader.at - offset, children });
}

function readProperty(reader: Reader): Tree {
  const offset = reader.at;
  const first = reader.text[reader.at] ?? "";
  const key = first === '"' || first === "'" ? readString(reader) : readName(reader);
  skipSpace(reader);
  if (reader.text[reader.at] !== ":") fail(reader, "colon expected");
  reader.at += 1;
  skipSpace(reader);
  const value = readValue(reader);
  return adopt({ type: "property", offset, length: reader.at - offset, children: [key, value] });
}

function adopt(node: Tree): Tree {
  for (const child of node.children ?? []) child.parent = node;
  return node;
}

const NAME =
  /(?:[$_\p{L}\p{Nl}]|\\u[\da-fA-F]{4})(?:[$_\u200C\u200D\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]|\\u[\da-fA-F]{4})*/uy;

function readName(reader: Reader): Tree {
  const offset = reader.at;
  const [name] = match(reader, NAME) ?? fail(reader, "name expected");
  return { type: "string", offset, length: name.length, value: unescape(name) };
}

const STRING = /"((?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*)"|'((?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*)'/y;

function readString(reader: Reader): Tree {
  const offset = reader.at;
  const [whole, double, single] = match(reader, STRING) ?? fail(reader, "a text that nothing closes");
  return { type: "string", offset, length: whole.length, value: unescape(double ?? single ?? "") };
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", 0: "\0" };

function unescape(text: string): string {
  return text.replaceAll(
    /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|[\s\S]))/g,
    (_, wide?: string, narrow?: string, other = "") => {
      const code = wide ?? narrow;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      // A line that goes on in the next one.
      if (/^[\r\n\u2028\u2029]/.test(other)) return "";
      return ESCAPES[other] ?? other;
    },
  );
}

const WORDS: Readonly<Record<string, [Tree["type"], unknown]>> = {
  true: ["boolean", true],
  false: ["boolean", false],
  null: ["null", null],
};
const NUMBER = /[+-]?(?:Infinity|NaN|0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$.])/y;

function readWord(reader: Reader): Tree {
  const offset = reader.at;
  const number = match(reader, NUMBER)?.[0];
  if (number !== undefined) return { type: "number", offset, length: number.length, value: toNumber(number) };
  const word = match(reader, NAME)?.[0];
  const [type, value] = WORDS[word ?? ""] ?? fail({ ...reader, at: offset }, "value expected");
  return { type, offset, length: word?.length ?? 0, value };
}

function toNumber(text: string): number {
  const size = Number(text.replace(/^[+-]/, ""));
  return text.startsWith("-") ? -size : size;
}

const SPACE = /(?:\s|\uFEFF|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/y;

function skipSpace(reader: Reader): void {
  match(reader, SPACE);
}

function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text) ?? undefined;
  reader.at += found?.[0].length ?? 0;
  return found;
}

function fail({ text, at }: Reader, what: string): never {
  const lines = text.slice(0, at).split("\n");
  throw new Error(`not valid JSON at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}: ${what}`);
}
