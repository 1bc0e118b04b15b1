// @module-tag long
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editConfig, parseConfig, valueAt } from "../../src/connect/config-format.ts";
import type { ConfigFormat } from "../../src/connect/config-format.ts";

const entry = { command: "tidemark", args: ["mcp", "-w", "/home/ana/my memory"] };

interface Strange {
  name: string;
  format: ConfigFormat;
  text: string;
  path: readonly (string | number)[];
  /** Where not every byte comes back: what must. */
  keeps?: readonly string[];
}

const FILES: readonly Strange[] = [
  {
    name: "JSON with a byte order mark, lines of Windows and a comment at the end",
    format: "json",
    text: '\uFEFF{\r\n  // mine\r\n  "mcpServers": {\r\n    "other": { "command": "x" } // keep\r\n  }\r\n}\r\n// the end\r\n',
    path: ["mcpServers", "tidemark"],
  },
  {
    name: "JSON on one line without an end",
    format: "json",
    text: '{"mcpServers":{"other":{"command":"x"}}}',
    path: ["mcpServers", "tidemark"],
  },
  {
    name: "JSON with nothing but a comment in the table",
    format: "json",
    text: '{\n  "mcpServers": {\n    // none yet, see http://x\n  }\n}\n',
    path: ["mcpServers", "tidemark"],
  },
  {
    name: "JSON5 with an empty table and a comment behind it",
    format: "json5",
    text: "{\n  mcp: { servers: {} }, // none\n  a: 1,\n}\n",
    path: ["mcp", "servers", "tidemark"],
    keeps: ["// none", "a: 1,"],
  },
  {
    name: "JSON with a comma at the end and a comment behind it",
    format: "json",
    text: '{\n  "mcpServers": {\n    "other": { "command": "a,b // c" }, /* last */ // one\n  },\n}\n',
    path: ["mcpServers", "tidemark"],
  },
  {
    name: "JSON5 as people write it",
    format: "json5",
    text: "// mine\n{\n  gateway: { mode: 'local', port: 0x4A52, ratio: .5, big: +1e3, },\n  mcp: {\n    servers: {\n      other: { command: 'x', args: ['it\\'s', \"two\",], }, // keep\n    },\n  },\n  'agents': { defaults: { model: 'a/b' } },\n}\n/* the end */\n",
    path: ["mcp", "servers", "tidemark"],
  },
  {
    name: "JSON5 without the table, on Windows",
    format: "json5",
    text: "\uFEFF{\r\n  $schema: 'x',\r\n  über_1: [Infinity, -Infinity, null],\r\n}\r\n",
    path: ["mcp", "servers", "tidemark"],
    keeps: ["$schema: 'x',\r\n", "über_1: [Infinity, -Infinity, null],"],
  },
  {
    name: "TOML with tables in one line and dotted keys",
    format: "toml",
    text: '# mine\nmodel = "x" # the model\nprofiles.fast.model = "y"\nsandbox = { mode = "read-only", dirs = ["/a", "/b"] }\n\n[mcp_servers.other]\ncommand = "x"\nenv = { A = "1" }\nstartup.timeout = 4\n# the end',
    path: ["mcp_servers", "tidemark"],
    keeps: ["# mine", "profiles.fast.model", 'env = { A = "1" }', "startup.timeout = 4", "# the end"],
  },
  {
    name: "TOML of Windows with lists of tables and texts of several lines",
    format: "toml",
    text: '\uFEFFnote = """\r\n[mcp_servers.fake]\r\n"""\r\n\r\n[[hooks.Stop]]\r\nmatcher = "*"\r\n\r\n[[hooks.Stop]]\r\nmatcher = "x"\r\n',
    path: ["mcp_servers", "tidemark"],
  },
  {
    name: "YAML with anchors and comments",
    format: "yaml",
    text: "# mine\ndefaults: &d\n  timeout: 5 # seconds\nmodels:\n  - <<: *d\n    name: a\nmcpServers:\n  - name: other # keep\n    command: x\n# the end\n",
    path: ["mcpServers", 1],
  },
  {
    name: "YAML that has no list yet",
    format: "yaml",
    text: "%YAML 1.2\n---\nname: mine\nprompt: |\n  mcpServers: none\n",
    path: ["mcpServers", 0],
  },
];

describe("a strange configuration file", () => {
  it.each(FILES)("gets our entry and gives it back: $name", ({ format, text, path, keeps }) => {
    const put = editConfig(format, text, [{ path, value: entry }], "x");
    expect(valueAt(parseConfig(format, put, "x"), path)).toEqual(entry);
    // What we did not write stands there as it did, in its order; a comma may have come behind something.
    const rest = put.replaceAll(",", "");
    const pieces = text.replaceAll(",", "").split(/\r?\n|[{}]/);
    pieces.reduce((at, piece) => {
      const found = rest.indexOf(piece.trimEnd(), at);
      expect(found, piece).toBeGreaterThanOrEqual(at);
      return found;
    }, 0);
    if (text.includes("\r\n")) expect(put.replaceAll("\r\n", "")).not.toContain("\n");
    else expect(put).not.toContain("\r");
    // As disconnecting does: tables that held nothing but us go along.
    const root = parseConfig(format, put, "x");
    const depth = path.findIndex(
      (_, at) => at > 0 && path.slice(at).every((__, more) => isAlone(root, path, at + more)),
    );
    const taken = editConfig(
      format,
      put,
      [{ path: depth < 0 ? path : path.slice(0, depth), value: undefined, least: [{ path, value: undefined }] }],
      "x",
    );
    if (keeps) for (const part of keeps) expect(taken).toContain(part);
    else expect(taken.trimEnd()).toBe(text.trimEnd());
  });

  it("lets each line of TOML end as it did, however the others end", () => {
    const text = 'model = "x"\r\nother = 1\n# mixed\r\n[mcp_servers.tidemark]\ncommand = "a"\r\n\n[b]\nc = 2\r\nd = 3';
    const path = ["mcp_servers", "tidemark"];
    const [head, tail] = ['model = "x"\r\nother = 1\n# mixed\r\n', "\n[b]\nc = 2\r\nd = 3"];
    for (const [at, value] of [
      [path, entry],
      [[...path, "command"], "z"],
      [[...path, "timeout"], 4],
      [["mcp_servers"], undefined],
    ] as const) {
      const edited = editConfig("toml", text, [{ path: at, value }], "x");
      expect(edited.startsWith(head)).toBe(true);
      expect(edited.endsWith(tail)).toBe(true);
    }
  });

  it.each([
    ["json", "[1, 2]", "holds no settings"],
    ["json", '"text"', "holds no settings"],
    ["json", '{ "a": 1', "not valid JSON"],
    ["json5", "[1]", "holds no settings"],
    ["json5", "{ a: 1", "not valid JSON at line 1, column 7"],
    ["json5", "{ a: b }", "line 1, column 6: value expected"],
    ["json5", "{ 1a: 2 }", "name expected"],
    ["json5", "{ a: 'x\n' }", "nothing closes"],
    ["json5", "{} x", "the end of the file expected"],
    ["toml", "a = [1, 2", "not valid TOML"],
    ["toml", "mcp_servers = 3\n[mcp_servers.x]", "not valid TOML"],
    ["yaml", "- a\n- b", "holds no settings"],
    ["yaml", "a: *nothing", "not valid YAML"],
    ["yaml", "a: [1", "not valid YAML"],
  ] as const)("is left alone where it is no table of settings or broken: %s %j", (format, text, reason) => {
    expect(() => editConfig(format, text, [{ path: ["servers", "tidemark"], value: entry }], "/x/config")).toThrow(
      reason,
    );
  });

  it.each([
    ["json", '{ "servers": [] }'],
    ["json", '{ "servers": "none" }'],
    ["json5", "{ servers: 7 }"],
    ["toml", 'servers = "none"'],
    ["toml", "servers = { other = { command = 'x' } }"],
    ["yaml", "servers: none"],
  ] as const)("is refused with what to add, where something else stands in our place: %s %j", (format, text) => {
    let made: string | undefined;
    try {
      made = editConfig(format, text, [{ path: ["servers", "tidemark"], value: entry }], "/x/config");
    } catch (error) {
      expect(String(error)).toMatch(/was left unchanged; add this yourself: servers\.tidemark = /);
    }
    // Or it was added beside what is there, which is still there.
    if (made !== undefined) expect(made).toContain("other");
  });

  it.each(["json", "json5", "toml"] as const)("is begun where there is nothing in it: %s", (format) => {
    for (const text of ["", "\n\n", "\uFEFF"]) {
      const put = editConfig(format, text, [{ path: ["servers", "tidemark"], value: entry }], "x");
      expect(parseConfig(format, put, "x")).toEqual({ servers: { tidemark: entry } });
    }
  });
});

/** Whether the table or list above this place holds nothing else. */
function isAlone(root: unknown, path: readonly (string | number)[], depth: number): boolean {
  const node = valueAt(root, path.slice(0, depth));
  return Object.keys(typeof node === "object" && node !== null ? node : {}).length === 1;
}

describe("JSON5", () => {
  const name = fc.constantFrom("a", "$b", "_c1", "über", "two words", "it's", 'q"q', "__proto__", "1st");
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const value = fc.letrec<{ any: unknown; table: Record<string, unknown> }>((tie) => ({
    any: fc.oneof({ depthSize: "small" }, leaf, fc.array(tie("any"), { maxLength: 3 }), tie("table")),
    table: fc.dictionary(
      name.filter((key) => key !== "__proto__"),
      tie("any"),
      { maxKeys: 4 },
    ),
  })).table;

  /** Writes a value as a person might, with everything that JSON5 allows; `pick` decides. */
  const write = (given: unknown, pick: () => number): string => {
    const space = () => ["", " ", "\n  ", " // one, { two: }\n", "/* [three] */"][pick() % 5] ?? "";
    const text = (words: string): string => {
      if (pick() % 2 === 0) return JSON.stringify(words);
      const inner = JSON.stringify(words)
        .slice(1, -1)
        .replaceAll('\\"', '"')
        .replaceAll("'", String.raw`\'`);
      return `'${inner}'`;
    };
    const list = (items: readonly string[], [open, close]: readonly [string, string]): string => {
      const end = items.length > 0 && pick() % 2 === 0 ? "," : "";
      return `${open}${space()}${items.join(`${space()},${space()}`)}${space()}${end}${space()}${close}`;
    };
    if (typeof given === "string") return text(given);
    if (typeof given === "number") return given >= 0 && pick() % 3 === 0 ? `+${given}` : String(given);
    if (Array.isArray(given))
      return list(
        given.map((each) => write(each, pick)),
        ["[", "]"],
      );
    if (typeof given !== "object" || given === null) return String(given);
    const pairs = Object.entries(given).map(([key, each]) => {
      const isName = /^[\p{L}$_][\p{L}\p{N}$_]*$/u.test(key) && pick() % 2 === 0;
      return `${isName ? key : text(key)}${space()}:${space()}${write(each, pick)}`;
    });
    return list(pairs, ["{", "}"]);
  };

  it("is read as JavaScript reads it, and keeps every other byte when it is edited", () => {
    fc.assert(
      fc.property(value, fc.infiniteStream(fc.nat({ max: 59 })), (config, choices) => {
        const pick = () => Number(choices.next().value);
        const text = write({ ...config, servers: { other: 1 } }, pick);
        const read = (source: string): unknown => JSON.parse(JSON.stringify(runInNewContext(`(${source})`)));
        expect(JSON.parse(JSON.stringify(parseConfig("json5", text, "x")))).toEqual(read(text));
        const put = editConfig("json5", text, [{ path: ["servers", "tidemark"], value: entry }], "x");
        expect(read(put)).toEqual({ ...(read(text) as object), servers: { other: 1, tidemark: entry } });
        const taken = editConfig("json5", put, [{ path: ["servers", "tidemark"], value: undefined }], "x");
        expect(read(taken)).toEqual(read(text));
        expect(taken.replaceAll(/[\s,]/g, "")).toBe(text.replaceAll(/[\s,]/g, ""));
      }),
    );
  });
});
