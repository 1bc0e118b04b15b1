import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../../src/connect/clients.ts";
import { connectedWorkspace, planConnection, planDisconnection } from "../../src/connect/plan-connection.ts";
import type { Wish } from "../../src/connect/plan-connection.ts";
import { restoreBackups } from "../../src/connect/restore-backup.ts";
import { readBackups, readConfigText, writeChange } from "../../src/connect/write-change.ts";
import { temporaryFolder } from "../support/workspace.ts";

function wishFor(name: string, more: Partial<Wish> = {}): Wish {
  const client = CLIENTS.find((each) => each.name === name) ?? expect.fail(`no client ${name}`);
  return {
    client,
    machine: { platform: "linux", home: "/home/ana", project: "/home/ana/work", environment: {} },
    level: "user",
    parts: { mcp: true, hooks: client.hooks !== undefined },
    program: { command: "/usr/bin/tidemark", args: [] },
    workspace: "/home/ana/my memory",
    integrations: "/opt/tidemark/integrations",
    ...more,
  };
}

/** A disk that keeps a copy of each file before it is changed, as the command does. */
function disk(path: string, text: string) {
  const held = new Map([[path, text]]);
  const copies: string[] = [];
  const read = (each: string) => held.get(each);
  const write = (changes: ReturnType<typeof planConnection>) => {
    for (const change of changes) {
      if (change.path === path && change.before !== undefined) copies.push(change.before);
      if (change.after === undefined) held.delete(change.path);
      else held.set(change.path, change.after);
    }
    return changes.length;
  };
  return {
    held,
    connect: (wish: Wish) => write(planConnection(wish, read)),
    disconnect: (wish: Wish) => {
      const planned = planDisconnection(wish, read, () => true);
      const workspace = connectedWorkspace(wish, read) ?? wish.workspace;
      return write(restoreBackups(planned, { ...wish, workspace }, (each) => (each === path ? copies : [])));
    },
  };
}

const FILES: readonly (readonly [string, string, string, string])[] = [
  ["an empty table", "gemini-cli", ".gemini/settings.json", '{\r\n  "theme": "x",\r\n  "mcpServers": {}\r\n}\r\n'],
  ["a byte order mark", "cursor", ".cursor/mcp.json", '\uFEFF{"mcpServers":{"a":{"command":"b"}}}'],
  ["nothing", "cursor", ".cursor/mcp.json", ""],
  ["spaces", "cursor", ".cursor/mcp.json", "  \n"],
  ["an empty object", "windsurf", ".codeium/windsurf/mcp_config.json", "{}"],
  [
    "trailing commas",
    "opencode",
    ".config/opencode/opencode.json",
    '{\n  "mcp": { "x": { "type": "local", }, }, // c\n}',
  ],
  ["dotted keys", "codex", ".codex/config.toml", 'mcp_servers.other.command = "o"\n[tui]\ntheme = "d" # c\n'],
  ["no newline at its end, CRLF", "codex", ".codex/config.toml", '[mcp_servers.other]\r\ncommand = "o"'],
  [
    "anchors",
    "continue",
    ".continue/config.yaml",
    "name: M\nb: &b {command: npx}\nmcpServers:\n  # c\n  - <<: *b\n    name: o\n",
  ],
  ["a list in one line", "continue", ".continue/config.yaml", "name: M\nmcpServers: [{name: a, command: b}]\n"],
  ["a comment and no newline", "continue", ".continue/config.yaml", "# top\nname: M"],
];

describe("disconnecting", () => {
  it.each(FILES)("brings back what was there to the byte: %s", (_, name, file, text) => {
    const path = `/home/ana/${file}`;
    const wish = wishFor(name);
    const { held, connect, disconnect } = disk(path, text);
    expect(connect(wish)).toBeGreaterThan(0);
    const connected = held.get(path);
    expect(connected).toContain("my memory");
    expect(connect(wish)).toBe(0);
    // Whoever disconnects need not say which workspace it was.
    disconnect({ ...wish, workspace: "/home/ana/another" });
    expect(held.get(path)).toBe(text);
  });

  it("brings it back also where servers and hooks came one after the other", () => {
    const path = "/home/ana/.gemini/settings.json";
    const { held, connect, disconnect } = disk(path, '{"mcpServers":{} }');
    connect(wishFor("gemini-cli", { parts: { mcp: true, hooks: false } }));
    connect(wishFor("gemini-cli", { parts: { mcp: false, hooks: true } }));
    disconnect(wishFor("gemini-cli"));
    expect(held.get(path)).not.toContain("tidemark");
    expect(JSON.parse(held.get(path) ?? "").mcpServers ?? {}).toEqual({});
  });

  it("keeps what came into the file meanwhile, if it be a comment", () => {
    const path = "/home/ana/.cursor/mcp.json";
    const { held, connect, disconnect } = disk(path, '{ "mcpServers": {} }\n');
    connect(wishFor("cursor"));
    held.set(path, `// mine\n${held.get(path)}`);
    disconnect(wishFor("cursor"));
    expect(held.get(path)).toContain("// mine");
    expect(held.get(path)).not.toContain("tidemark");
  });

  it.each([
    ["claude-code", ".claude/settings.json", '{\n  "hooks": { /* one */ "Stop": [ /* two */ ] }, // three\n}\n'],
    ["claude-code", ".claude/settings.json", '{\n  "hooks": {\n    // one two three\n  }\n}\n'],
    ["openclaw", ".openclaw/openclaw.json", "{\n  plugins: {\n    // one two\n    slots: {}, // three\n  },\n}\n"],
  ])("keeps comments where hooks go, also after a person's edit: %s", (name, file, text) => {
    const path = `/home/ana/${file}`;
    const wish = wishFor(name, { parts: { mcp: false, hooks: true } });
    const { held, connect, disconnect } = disk(path, text);
    connect(wish);
    held.set(path, (held.get(path) ?? "").replace("{", '{ "added": true,'));
    disconnect(wish);
    for (const kept of ["one", "two", "three", "added"]) expect(held.get(path)).toContain(kept);
    expect(held.get(path)).not.toContain("tidemark");
  });

  it("takes no file away that someone changed meanwhile, nor a link in place of the file behind it", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "mcp.json");
    writeFileSync(path, '{"mine":1}');
    const change = { path, before: '{"tidemark":1}', after: undefined };
    await expect(writeChange(change, new Date())).rejects.toThrow(/changed by someone else/);
    expect(readFileSync(path, "utf8")).toBe('{"mine":1}');
    const link = join(folder, "link.json");
    symlinkSync(join(folder, "behind.json"), link);
    await writeChange({ path: link, before: undefined, after: "{}" }, new Date());
    await writeChange({ path: link, before: "{}", after: undefined }, new Date());
    expect(readdirSync(folder).toSorted()).toEqual(["link.json", "mcp.json"]);
  });
});

describe("connecting", () => {
  it("refuses a file that is not UTF-8, and leaves every byte", () => {
    const path = join(temporaryFolder(), "config.toml");
    const bytes = Buffer.from('model = "caf\xe9"\n', "latin1");
    writeFileSync(path, bytes);
    expect(() => readConfigText(path)).toThrow(/is not UTF-8 and was left unchanged/);
    writeFileSync(`${path}.before-tidemark-1`, bytes);
    expect(readBackups(path)).toEqual([]);
    writeFileSync(path, "\uFEFFmodel = 'café'\n");
    expect(readConfigText(path)).toBe("\uFEFFmodel = 'café'\n");
  });

  it.each([
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": { "tidemark": { "command": "/opt/other", "args": ["serve"] } } }'],
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": { "tidemark": { "url": "https://example.com/mcp" } } }'],
    ["codex", ".codex/config.toml", '[mcp_servers.tidemark]\ncommand = "other"\n'],
    ["continue", ".continue/config.yaml", "mcpServers:\n  - name: tidemark\n    command: other\n"],
  ])("does not take a name that is someone else's: %s", (name, file, text) => {
    const path = `/home/ana/${file}`;
    const { held, connect, disconnect } = disk(path, text);
    expect(() => connect(wishFor(name))).toThrow(/named tidemark already, which starts something else/);
    disconnect(wishFor(name));
    expect(held.get(path)).toBe(text);
  });
});
