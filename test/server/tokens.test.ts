// @module-tag stores
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkTokens, loadTokens } from "../../src/server/tokens.ts";
import { open } from "../support/talk.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

const TOKENS = {
  "token-of-ana-who-writes": { scope: "telegram:1", access: "write" },
  "token-of-ben-who-writes": { scope: "telegram:2", access: "write" },
  "token-of-eve-who-reads-1": { scope: "telegram:1", access: "read" },
  "token-of-the-one-who-runs-it": { scope: "*", access: "write" },
} as const;

async function start() {
  const model = await startModel(() => ({ text: "Hello." }));
  const memory = await open({ workspace: temporaryFolder(), config: { ...model.config, memory: { scope: "user" } } });
  for (const key of ["telegram:1", "telegram:2"]) {
    await (await memory.session(key)).append({ role: "user", content: `the boat of ${key} is called Aurora` });
    await memory.replaceMemory(`# Memory\n\n- fact of ${key}\n`, key);
  }
  const url = await startServer(memory, { tokens: TOKENS });
  const ask = async (token: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      text: await response.text(),
      session: response.headers.get("x-tidemark-session"),
    };
  };
  return { ask, memory, url };
}

describe("tokens of single users", () => {
  it("open what is theirs, and refuse what is another's, in every operation", async () => {
    const { ask } = await start();
    const [ana, ben] = ["token-of-ana-who-writes", "token-of-ben-who-writes"];
    expect((await ask(ana, "GET", "/api/memory")).text).toContain("fact of telegram:1");
    expect((await ask(ben, "GET", "/api/memory")).text).toContain("fact of telegram:2");
    const found = await ask(ana, "GET", "/api/search?q=boat+Aurora");
    expect(found.text).toContain("telegram:1");
    expect(found.text).not.toContain("telegram:2");
    const listed = await ask(ana, "GET", "/api/sessions");
    expect(listed.text).toContain("telegram:1");
    expect(listed.text).not.toContain("telegram:2");
    const others: [string, string, unknown?][] = [
      ["GET", "/api/memory?session=telegram:2"],
      ["GET", "/api/search?q=boat&session=telegram:2"],
      ["GET", "/api/sessions/telegram:2"],
      ["POST", "/api/sessions/telegram:2/messages", { messages: [{ role: "user", content: "x" }] }],
      ["POST", "/api/sessions/telegram:2/new"],
      ["PUT", "/api/memory?session=telegram:2", { text: "# gone" }],
      ["POST", "/api/memory/facts", { fact: "x", session: "telegram:2" }],
      ["DELETE", "/api/memory/facts", { fact: "fact of telegram:2", session: "telegram:2" }],
      ["POST", "/api/memory/undo", { session: "telegram:2" }],
      ["GET", "/api/log?session=telegram:2"],
      ["GET", "/api/status"],
      ["POST", "/v1/chat/completions", { user: "x", messages: [{ role: "user", content: "hi" }] }],
    ];
    for (const [method, path, body] of others) {
      const { status, text } = await ask(ana, method, path, body);
      expect([status, path], text).toEqual([403, path]);
      expect(text).not.toContain("fact of telegram:2");
    }
    expect((await ask(ben, "GET", "/api/memory")).text).toContain("fact of telegram:2");
  });

  it("take a chat without a name for the user's own", async () => {
    const { ask, memory } = await start();
    const answered = await ask("token-of-ana-who-writes", "POST", "/v1/chat/completions", {
      messages: [{ role: "user", content: "hi" }],
    });
    expect([answered.status, answered.session]).toEqual([200, "telegram:1"]);
    expect((await memory.session("telegram:1")).messages().at(-2)?.content).toBe("hi");
  });

  it.each(["chat", "responses"] as const)(
    "never go on from another's answer, nor see their pictures, over %s",
    async (wire) => {
      const provider = await startProvider(() => ({ text: "Hello." }));
      const config = { ...provider.config(wire), memory: { scope: "user" as const } };
      const memory = await open({ workspace: temporaryFolder(), config });
      const url = await startServer(memory, { tokens: TOKENS });
      const ask = async (token: string, body: object) => {
        const response = await fetch(`${url}/v1/responses`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify({ model: "tidemark", ...body }),
        });
        return { status: response.status, text: await response.text() };
      };
      const idOf = ({ text }: { text: string }) => z.object({ id: z.string() }).parse(JSON.parse(text)).id;
      const [ana, ben] = ["token-of-ana-who-writes", "token-of-ben-who-writes"];
      const picture = Buffer.from("what only Ana may see".repeat(10)).toString("base64");
      const shown = { type: "input_image", image_url: `data:image/png;base64,${picture}` };
      const answered = idOf(await ask(ana, { input: [{ role: "user", content: [shown] }] }));
      const [message] = (await memory.session("telegram:1")).messages();
      const [, path = ""] = /\[image: ([^\]]+)\]/.exec(JSON.stringify(message?.content)) ?? [];
      expect(path).toMatch(/^sessions\/files\/./);
      // By the answer's id, and by an id that nobody has.
      const unknown = await ask(ben, { previous_response_id: "resp_nobody", input: "go on" });
      const foreign = await ask(ben, { previous_response_id: answered, input: "go on" });
      expect([foreign.status, foreign.text.replace(answered, "resp_nobody")]).toEqual([unknown.status, unknown.text]);
      expect(unknown.status).toBe(400);
      const item = (id: string) => ({
        input: [
          { type: "item_reference", id },
          { role: "user", content: "go on" },
        ],
      });
      const [nobodys, others] = [await ask(ben, item("msg_nobody_0")), await ask(ben, item(`msg_${answered}_0`))];
      expect([others.status, others.text.replace(answered, "nobody")]).toEqual([nobodys.status, nobodys.text]);
      expect(nobodys.status).toBe(404);
      // By the picture's place, in words of his own.
      for (const place of [path, path.replace("files/", "files/telegram_2/../")]) {
        const named = await ask(ben, { input: `[image: ${place}]` });
        expect((await ask(ben, { previous_response_id: idOf(named), input: "What is in it?" })).status).toBe(200);
      }
      const again = await ask(ana, { previous_response_id: answered, input: "And now?" });
      expect(again.status).toBe(200);
      const seen = provider.requests.map(({ body }) => JSON.stringify(body).includes(picture));
      expect(seen).toEqual([true, false, false, false, false, wire === "chat"]);
    },
  );

  it("read where they may only read, and nobody else gets in", async () => {
    const { ask } = await start();
    const eve = "token-of-eve-who-reads-1";
    expect((await ask(eve, "GET", "/api/memory")).status).toBe(200);
    expect((await ask(eve, "PUT", "/api/memory", { text: "# gone" })).status).toBe(403);
    expect(
      (await ask(eve, "POST", "/v1/chat/completions", { messages: [{ role: "user", content: "hi" }] })).status,
    ).toBe(403);
    expect((await ask("nobody", "GET", "/api/memory")).status).toBe(401);
    expect((await ask("token-of-the-one-who-runs-it", "GET", "/api/status")).status).toBe(200);
  });

  it("come from a file that only its owner reads, and need memory that is kept apart", async () => {
    const path = join(temporaryFolder(), "tokens.json");
    writeFileSync(path, JSON.stringify(TOKENS), { mode: 0o644 });
    await expect(loadTokens(path)).rejects.toThrow("chmod 600");
    chmodSync(path, 0o600);
    const tokens = await loadTokens(path);
    expect(Object.keys(tokens)).toHaveLength(4);
    const shared = await open({ workspace: temporaryFolder() });
    expect(() => checkTokens(shared, tokens)).toThrow("memory.scope");
    writeFileSync(path, '{"short": {"scope": "a:b"}}');
    await expect(loadTokens(path)).rejects.toThrow("16 characters");
  });
});

describe("awkward requests", () => {
  const post = (url: string, body: unknown) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });

  it.each(["constructor/x", "__proto__/x", "toString/x", "hasOwnProperty/y"])(
    "a model called %s is no provider",
    async (model) => {
      const upstream = await startModel(() => ({ text: "Hello." }));
      const memory = await open({ workspace: temporaryFolder(), config: upstream.config });
      const response = await post(await startServer(memory), { model, messages: [{ role: "user", content: "hi" }] });
      expect(response.status).toBe(404);
      expect(upstream.requests).toEqual([]);
    },
  );

  it("a user of 100 kB gets a session and an answer, and another one another", async () => {
    const upstream = await startModel(() => ({ text: "Hello." }));
    const memory = await open({ workspace: temporaryFolder(), config: upstream.config });
    const url = await startServer(memory);
    const sessions = [];
    for (const end of ["a", "b"]) {
      const response = await post(url, {
        user: "ü".repeat(100_000) + end,
        messages: [{ role: "user", content: "hi" }],
      });
      expect(response.status).toBe(200);
      sessions.push(response.headers.get("x-tidemark-session"));
    }
    expect(new Set(sessions).size).toBe(2);
  });

  it("an error of the provider that repeats our key reaches the client without it", async () => {
    const key = "plain-words-that-no-rule-knows";
    const upstream = await startModel(() => ({ status: 401, body: { error: { message: `incorrect key ${key}` } } }));
    const config = {
      ...upstream.config,
      providers: { scripted: { ...upstream.config.providers.scripted, apiKey: key } },
    };
    const memory = await open({ workspace: temporaryFolder(), config });
    const response = await post(await startServer(memory), { messages: [{ role: "user", content: "hi" }] });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain(key);
  });
});
