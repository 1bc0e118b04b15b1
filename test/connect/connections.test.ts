// @module-tag long
import { join } from "node:path";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { CLIENTS } from "../../src/connect/clients.ts";
import { editConfig, parseConfig, valueAt } from "../../src/connect/config-format.ts";
import { findPlace } from "../../src/connect/places.ts";
import type { Machine } from "../../src/connect/places.ts";
import { planConnection, planDisconnection, readConnection } from "../../src/connect/plan-connection.ts";
import type { Wish } from "../../src/connect/plan-connection.ts";
import { quoteWords } from "../../src/connect/quote-words.ts";
import { runs } from "../support/runs.ts";

const PLATFORMS = ["linux", "darwin", "win32"] as const;

function machineOf(platform: Machine["platform"]): Machine {
  return { platform, home: "/home/ana", project: "/home/ana/work", environment: {} };
}

function wishFor(name: string, more: Partial<Wish> = {}): Wish {
  const client = CLIENTS.find((each) => each.name === name) ?? expect.fail(`no client ${name}`);
  const hasHooks = client.hooks !== undefined;
  return {
    client,
    machine: machineOf("linux"),
    level: "user",
    parts: { mcp: true, hooks: hasHooks },
    program: { command: "/usr/bin/tidemark", args: [] },
    workspace: "/home/ana/my memory",
    integrations: "/opt/tidemark/integrations",
    ...more,
  };
}

/** Files in memory: what connecting and disconnecting make of them. */
function disk(files: Record<string, string> = {}) {
  const held = new Map(Object.entries(files));
  const read = (path: string) => held.get(path);
  const write = (changes: ReturnType<typeof planConnection>) => {
    for (const { path, after } of changes) {
      if (after === undefined) held.delete(path);
      else held.set(path, after);
    }
    return changes;
  };
  return {
    held,
    connect: (wish: Wish) => write(planConnection(wish, read)),
    disconnect: (wish: Wish) => write(planDisconnection(wish, read, (path) => path in files)),
    read,
  };
}

const CODEX = `# my settings
model = "gpt-5.2"   # the good one
approval_policy = 'on-request'

[projects."/home/ana/work"]
trust_level = "trusted"

# documentation
[mcp_servers.docs]
command = "npx"
args = [
  "-y", # no questions
  "docs-server",
]

[mcp_servers.docs.env]
TOKEN = "a]b#c"

[[notes]]
at = 2026-11-15T10:00:00Z
text = """
[mcp_servers.tidemark]
"""

# how it looks
[tui]
theme = "dark"
`;

const CONTINUE = `name: Mine
version: 1.0.0
schema: v1

models:
  - name: local   # fast enough
    provider: ollama
    model: "llama3"

mcpServers:
  # documentation
  - name: docs
    command: npx
    args: ["-y", "docs"]

# the end
`;

const ZED = `// Zed
{
\t"theme": "One Dark", // at night
\t/* servers */
\t"context_servers": {
\t\t"docs": { "command": "npx", "args": ["-y", "docs"] }, // keep
\t},
}
`;

const CLAUDE_SETTINGS = `{
    "permissions": { "allow": ["Bash(ls:*)"] },
    "hooks": {
        "Stop": [
            { "matcher": "", "hooks": [{ "type": "command", "command": "afplay /done.wav" }] }
        ]
    }
}
`;

describe("every client", () => {
  it.each(CLIENTS.map(({ name }) => name))("%s is connected, once, and disconnected without a trace", (name) => {
    for (const platform of PLATFORMS) {
      const wish = wishFor(name, { machine: machineOf(platform) });
      const { client, machine } = wish;
      const files = disk();
      expect(readConnection({ ...wish }, files.read)).toEqual({ mcp: false, hooks: false });
      expect(files.connect(wish).length).toBeGreaterThan(0);
      expect(readConnection({ ...wish }, files.read)).toEqual(wish.parts);
      const path = findPlace(client.mcp.user, machine);
      const text = files.held.get(path) ?? expect.fail(`nothing in ${path}`);
      expect(text).toContain("/usr/bin/tidemark");
      expect(text).toContain("/home/ana/my memory");
      expect(files.connect(wish)).toEqual([]);
      files.disconnect(wish);
      expect([...files.held]).toEqual([]);
      expect(files.disconnect(wish)).toEqual([]);
    }
  });

  it("lies where its own documentation says, on each system", () => {
    const places = CLIENTS.map(({ name, mcp }) => [
      name,
      ...PLATFORMS.map((each) => findPlace(mcp.user, machineOf(each))),
    ]);
    expect(places).toMatchSnapshot();
    const moved = {
      ...machineOf("linux"),
      environment: { CODEX_HOME: "/c", CLAUDE_CONFIG_DIR: "/d", XDG_CONFIG_HOME: "/x" },
    };
    const of = (name: string) => findPlace(wishFor(name).client.mcp.user, moved);
    expect([of("codex"), of("claude-code"), of("zed")].map((path) => path.replaceAll("\\", "/"))).toEqual([
      "/c/config.toml",
      "/d/.claude.json",
      "/x/zed/settings.json",
    ]);
  });

  it("has an entry of the shape that the client itself writes", () => {
    const entries = CLIENTS.map(({ name, mcp }) => [
      name,
      mcp.at.join("."),
      mcp.entry({ command: "c", args: ["mcp"] }),
    ]);
    expect(entries).toMatchSnapshot();
  });
});

describe("a configuration that a person wrote", () => {
  const CASES: [string, string, string][] = [
    ["codex", ".codex/config.toml", CODEX],
    ["codex", ".codex/config.toml", CODEX.replaceAll("\n", "\r\n")],
    ["codex", ".codex/config.toml", CODEX.trimEnd()],
    ["continue", ".continue/config.yaml", CONTINUE],
    ["continue", ".continue/config.yaml", CONTINUE.replace(/mcpServers:[\s\S]*/, "")],
    ["zed", ".config/zed/settings.json", ZED],
    ["zed", ".config/zed/settings.json", `\uFEFF${ZED.replaceAll("\n", "\r\n")}`],
    ["claude-code", ".claude/settings.json", CLAUDE_SETTINGS],
    ["cursor", ".cursor/mcp.json", '{"mcpServers":{"docs":{"url":"https://x"}},"b":[1,2]}'],
  ];

  it.each(CASES)("of %s keeps every other byte (%s)", (name, path, text) => {
    const wish = wishFor(name);
    const file = join("/home/ana", path);
    const files = disk({ [file]: text });
    files.connect(wish);
    const connected = files.held.get(file) ?? "";
    // Nothing that was there is gone: the old lines are all there, in their order.
    const lines = connected.split(/\r?\n/);
    let from = 0;
    for (const line of text
      .split(/\r?\n/)
      .filter((each) => each.trim() !== "" && !/[{[]\s*$|^\{.*\}$|\/\/ keep/.test(each))) {
      const bare = line.replace(/,\s*$/, "");
      const at = lines.findIndex((each, index) => index >= from && each.startsWith(bare));
      expect(at, `${line} in\n${connected}`).toBeGreaterThanOrEqual(from);
      from = at;
    }
    files.disconnect(wish);
    expect(files.held.get(file)?.trimEnd()).toBe(text.trimEnd());
  });

  it("is read by other parsers as it was, with us in it", () => {
    const toml = disk({ "/home/ana/.codex/config.toml": CODEX });
    toml.connect(wishFor("codex", { parts: { mcp: true, hooks: false } }));
    const { mcp_servers: servers, ...rest } = parseToml(toml.held.get("/home/ana/.codex/config.toml") ?? "");
    const { mcp_servers: before, ...others } = parseToml(CODEX);
    expect(rest).toEqual(others);
    expect(servers).toEqual({
      ...Object(before),
      tidemark: { command: "/usr/bin/tidemark", args: ["mcp", "-w", "/home/ana/my memory"] },
    });
    const yaml = disk({ "/home/ana/.continue/config.yaml": CONTINUE });
    yaml.connect(wishFor("continue"));
    expect(parseYaml(yaml.held.get("/home/ana/.continue/config.yaml") ?? "").mcpServers).toEqual([
      { name: "docs", command: "npx", args: ["-y", "docs"] },
      { name: "tidemark", command: "/usr/bin/tidemark", args: ["mcp", "-w", "/home/ana/my memory"] },
    ]);
  });

  it("gets the new place when the program or the workspace moves, and keeps what was added to the entry", () => {
    const path = "/home/ana/.codex/config.toml";
    const files = disk({ [path]: CODEX });
    files.connect(wishFor("codex"));
    files.held.set(
      path,
      (files.held.get(path) ?? "").replace(
        'command = "/usr/bin/tidemark"\n',
        'command = "/usr/bin/tidemark"\nstartup_timeout_sec = 30 # slow disk\n',
      ),
    );
    files.connect(wishFor("codex", { workspace: "/srv/memory" }));
    const text = files.held.get(path) ?? "";
    expect(valueAt(parseToml(text), ["mcp_servers", "tidemark"])).toEqual({
      startup_timeout_sec: 30,
      command: "/usr/bin/tidemark",
      args: ["mcp", "-w", "/srv/memory"],
    });
    expect(text).toContain("startup_timeout_sec = 30 # slow disk");
    expect(files.held.get("/home/ana/.codex/hooks.json")).toContain("-w /srv/memory");
    expect(files.held.get("/home/ana/.codex/hooks.json")).not.toContain("my memory");
    files.disconnect(wishFor("codex"));
    expect(files.held.get(path)).toBe(CODEX);
  });

  it("keeps an entry of our name that starts something else", () => {
    const mine = '{ "mcpServers": { "tidemark": { "command": "/home/ana/wrapper.sh" } } }\n';
    const files = disk({ "/home/ana/.cursor/mcp.json": mine });
    expect(files.disconnect(wishFor("cursor"))).toEqual([]);
    expect(files.held.get("/home/ana/.cursor/mcp.json")).toBe(mine);
  });

  it("keeps hooks of others in the same event and the same group", () => {
    const path = "/home/ana/.claude/settings.json";
    const files = disk({ [path]: CLAUDE_SETTINGS });
    const wish = wishFor("claude-code", { parts: { mcp: false, hooks: true } });
    files.connect(wish);
    // Someone moves our handler into their own group.
    const settings = JSON.parse(files.held.get(path) ?? "");
    settings.hooks.Stop = [{ hooks: [settings.hooks.Stop[0].hooks[0], settings.hooks.Stop[1].hooks[0]] }];
    files.held.set(path, JSON.stringify(settings, undefined, 2));
    expect(files.connect(wish)).toEqual([]);
    files.disconnect(wish);
    expect(JSON.parse(files.held.get(path) ?? "")).toEqual({
      permissions: { allow: ["Bash(ls:*)"] },
      hooks: { Stop: [{ hooks: [{ type: "command", command: "afplay /done.wav" }] }] },
    });
  });

  it("gives OpenClaw's memory slot back to whoever had it", () => {
    const path = "/home/ana/.openclaw/openclaw.json";
    const mine = { plugins: { slots: { memory: "memory-lancedb" }, entries: { "memory-lancedb": { enabled: true } } } };
    const files = disk({ [path]: JSON.stringify(mine, undefined, 2) });
    const wish = wishFor("openclaw");
    files.connect(wish);
    expect(JSON.parse(files.held.get(path) ?? "").plugins.slots).toEqual({ memory: "tidemark" });
    expect(files.connect(wish)).toEqual([]);
    files.disconnect(wish);
    expect(JSON.parse(files.held.get(path) ?? "")).toEqual(mine);
  });

  it.each([
    ["cursor", ".cursor/mcp.json", '{\n  "a": 1,\n  "b": [2\n}', "line 4"],
    ["codex", ".codex/config.toml", 'a = 1\nb = = "x"\n', "line 2"],
    ["continue", ".continue/config.yaml", "name: x\nmcpServers: [a\nb: 2\n", "line"],
    ["cursor", ".cursor/mcp.json", "[1, 2]", "no settings"],
  ])("that is broken is named with the place: %s", (name, path, text, place) => {
    const file = join("/home/ana", path);
    const plan = () => disk({ [file]: text }).connect(wishFor(name, { parts: { mcp: true, hooks: false } }));
    expect(plan).toThrow(file);
    expect(plan).toThrow(place);
  });

  it.each([
    ['mcp_servers = { docs = { command = "x" } }\n', "cannot be edited safely"],
    ['[mcp_servers]\ntidemark = "?"\n', "cannot be edited safely"],
  ])("in TOML that has no room for a table is left alone", (text, reason) => {
    expect(() => disk({ "/home/ana/.codex/config.toml": text }).connect(wishFor("codex"))).toThrow(reason);
  });
});

describe("editing", () => {
  const key = fc.stringMatching(/^[A-Za-z][\w-]{0,8}$/).filter((name) => !["tidemark", "__proto__"].includes(name));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.integer({ min: -9999, max: 9999 }),
      fc.boolean(),
      tie("list"),
      tie("table"),
    ),
    list: fc.array(fc.string(), { maxLength: 3 }),
    table: fc.dictionary(key, tie("any"), { maxKeys: 4 }),
  })).table;
  const entry = { command: "/bin/x", args: ["mcp", "a'b\"c\\d", "ü 日"] };

  it("puts a server into any JSON and takes it out again", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, 4, "\t"), (config, indent) => {
        const text = JSON.stringify({ ...config, servers: { other: 1 } }, undefined, indent);
        const put = editConfig("json", text, [{ path: ["servers", "tidemark"], value: entry }], "x");
        expect(JSON.parse(put)).toEqual({ ...config, servers: { other: 1, tidemark: entry } });
        expect(JSON.parse(editConfig("json", put, [{ path: ["servers", "tidemark"], value: undefined }], "x"))).toEqual(
          JSON.parse(text),
        );
      }),
    );
  });

  it("puts a table into any TOML and takes it out again, to the byte", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, fc.constantFrom("1", '"a # b"', "[\n  1, # one\n  2,\n]", "'''\n[x]\n'''")), {
          maxLength: 6,
        }),
        (pairs) => {
          const text = [...new Map(pairs)].map(([name, each]) => `[t.${name}]\nk = ${each}\n\n# about it\n`).join("");
          const put = editConfig("toml", text, [{ path: ["servers", "tidemark"], value: entry }], "x");
          expect(parseConfig("toml", put, "x")).toMatchObject({ servers: { tidemark: entry } });
          expect(editConfig("toml", put, [{ path: ["servers"], value: undefined }], "x")).toBe(text);
        },
      ),
    );
  });

  it("quotes words so that a shell hands them on as they are", async () => {
    const { execFileSync } = await import("node:child_process");
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ minLength: 1 }).filter((word) => !word.includes("\0")),
          { minLength: 1, maxLength: 4 },
        ),
        (words) => {
          const line = quoteWords(
            [process.execPath, "-e", "process.stdout.write(JSON.stringify(process.argv.slice(1)))", "--", ...words],
            "linux",
          );
          expect(JSON.parse(execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" }))).toEqual(words);
        },
      ),
      runs(8),
    );
  });
});
