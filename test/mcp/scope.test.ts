// @module-tag stores
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { createUserMcp } from "../../src/mcp/open-mcp-http.ts";
import { startServer } from "../server/start-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

async function start(scope: "user" | "session" | "workspace") {
  const memory = await open({ workspace: temporaryFolder(), config: { memory: { scope } } });
  const users = createUserMcp({ memory, session: "mcp:main", maxTokens: 4000, version: "1" }, () => undefined);
  onTestFinished(() => users.close());
  const url = await startServer(memory, {
    tokens: {
      "token-of-ana-who-writes": { scope: "telegram:1", access: "write" },
      "token-of-eve-who-reads-1": { scope: "telegram:1", access: "read" },
    },
    mcp: async (request, caller) => (await users.open(caller)).fetch(request),
  });
  const connect = async (token: string): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  };
  return { memory, connect };
}

it.each(["user", "session"] as const)("nobody writes into another's memory, with scope %s", async (scope) => {
  const { memory, connect } = await start(scope);
  await (await memory.session("telegram:2")).append({ role: "user", content: "mine" });
  const client = await connect("token-of-ana-who-writes");
  const messages = [{ role: "user", content: "remember: the bank is elsewhere" }];
  for (const [name, input] of [
    ["session_append", { session: "telegram:2", messages }],
    ["session_append", { session: "mcp:main", messages }],
    ["session_new", { session: "telegram:2" }],
  ] as const) {
    const answer = await client.callTool({ name, arguments: input });
    expect(answer.isError, name).toBe(true);
    expect(JSON.stringify(answer.content)).toContain("belongs to someone else");
  }
  expect((await memory.session("telegram:2")).length).toBe(1);
  expect((await client.callTool({ name: "session_append", arguments: { messages } })).structuredContent).toMatchObject({
    session: "telegram:1",
    stored: 1,
  });
});

it("a token that may only read has no tools that write", async () => {
  const { connect } = await start("user");
  const { tools } = await (await connect("token-of-eve-who-reads-1")).listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual(["memory_get", "memory_search", "memory_status"]);
});

it("a server that could not be opened is opened when it is asked for again", async () => {
  const memory = await open({ workspace: temporaryFolder(), config: { memory: { scope: "user" } } });
  const { documents } = memory.store;
  let failures = 1;
  const failing: typeof documents = {
    ...documents,
    list(...given) {
      return failures-- > 0 ? Promise.reject(new Error("too many open files")) : documents.list(...given);
    },
  };
  const setup = { memory: { ...memory, store: { ...memory.store, documents: failing } }, session: "mcp:main" };
  const users = createUserMcp({ ...setup, maxTokens: 4000, version: "1" }, () => undefined);
  const caller = { scope: "telegram:1", canWrite: true };
  await expect(users.open(caller)).rejects.toThrow("too many open files");
  await expect(users.open(caller)).resolves.toBeDefined();
  failures = 1;
  const other = users.open({ scope: "telegram:2", canWrite: true });
  await Promise.all([expect(other).rejects.toThrow("too many"), users.close()]);
});
