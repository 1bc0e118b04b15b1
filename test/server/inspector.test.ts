// @module-tag stores
import { describe, expect, it, onTestFinished } from "vitest";
import { appendDocument, readDocument, writeDocument } from "../support/documents.ts";
import type { Memory } from "../../src/index.ts";
import { createApp } from "../../src/server/create-app.ts";
import { CHANGES } from "../../src/server/inspector/memory-changes.ts";
import { PERSONAL_PATHS } from "../../src/server/inspector/operations.ts";
import { openInspector } from "../../src/server/inspector/open-inspector.ts";
import { listen } from "../../src/server/listen.ts";
import { writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { sayAndDigest, startPlace } from "../trust/place.ts";

interface Served {
  memory: Memory;
  url: string;
  /** Asks with the token. */
  ask: (path: string, options?: { method?: string; body?: unknown }) => Promise<{ status: number; body: never }>;
}

const TOKEN = "a token that nobody guesses";

async function serve(
  options: { token?: string | undefined; isReadOnly?: boolean } = { token: TOKEN },
): Promise<Served> {
  const memory = await open({ workspace: temporaryFolder() });
  const inspector = openInspector(memory, { version: "0.0.0", ...options });
  const app = createApp(memory, { version: "0.0.0", token: options.token, inspector });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    inspector.close();
    await server.close(0);
    await app.finish();
  });
  return {
    memory,
    url: server.url,
    async ask(path, { method = "GET", body } = {}) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as never };
    },
  };
}

describe("what the inspector asks", () => {
  it("tells each fact with who brought it and from which words, headings and bringers once", async () => {
    const { memory, ask } = await serve();
    const session = await memory.session("cli:main");
    await session.append({ role: "user", content: "My name is Ana Reis. I live in Porto." });
    await memory.consolidate("cli:main", { all: true });
    await memory.remember("cli:main", { fact: "Ana keeps bees", heading: "Garden", by: "user" });
    const { body } = await ask("/api/facts");
    const page = body as {
      headings: string[][];
      bringers: { author: string; name: string }[];
      facts: { fact: string; under: number; by: number; source?: { quote: string } }[];
    };
    const bees = page.facts.find(({ fact }) => fact === "Ana keeps bees");
    expect(page.headings[bees?.under ?? -1]).toEqual(["Memory", "Garden"]);
    expect(page.bringers[bees?.by ?? -1]).toMatchObject({ author: "person", name: "user" });
    const porto = page.facts.find(({ fact }) => fact.includes("Porto"));
    expect(porto?.source).toMatchObject({ session: "cli:main", proof: "quote" });
    expect(new Set(page.bringers.map((each) => JSON.stringify(each))).size).toBe(page.bringers.length);
  });

  it("answers from what it kept only while nothing has changed", async () => {
    const { memory, ask } = await serve();
    const facts = async () =>
      ((await ask("/api/facts")).body as { facts: { fact: string }[] }).facts.map(({ fact }) => fact);
    await memory.remember("cli:main", { fact: "One fact", by: "user" });
    expect(await facts()).toEqual(["One fact"]);
    await appendDocument(memory, "memory/MEMORY.md", "- Another, by an editor\n");
    expect(await facts()).toEqual(["One fact", "Another, by an editor"]);
    await memory.retire("cli:main", "One fact", "user");
    expect(await facts()).toEqual(["Another, by an editor"]);
  });

  it("tells a fact's whole story, also of words that it replaced", async () => {
    const { memory, ask } = await serve();
    await memory.remember("cli:main", { fact: "Ana lives in Porto", by: "user" });
    await memory.remember("cli:main", { fact: "Ana lives in Lisbon", replaces: "Ana lives in Porto", by: "user" });
    const { body } = await ask(`/api/facts/story?fact=${encodeURIComponent("Ana lives in Lisbon")}`);
    expect(body).toMatchObject({ replaced: ["Ana lives in Porto"] });
    const { events } = body as { events: { kind: string; fact: string }[] };
    expect(events.map(({ kind, fact }) => `${kind} ${fact}`)).toEqual([
      "entered Ana lives in Porto",
      "left Ana lives in Porto",
      "entered Ana lives in Lisbon",
    ]);
    expect((await ask("/api/facts/story?fact=never")).status).toBe(404);
  });

  it("adds, edits and retires in a person's name, and names what takes it back", async () => {
    const { memory, ask } = await serve();
    const added = await ask("/api/facts", { method: "POST", body: { fact: "Ana keeps bees", heading: "Garden" } });
    expect(added.body).toMatchObject({ kind: "done", fact: "Ana keeps bees", undo: expect.any(String) });
    const edited = await ask("/api/facts", {
      method: "PUT",
      body: { fact: "Ana keeps bees", words: "Ana keeps two hives" },
    });
    expect(edited.body).toMatchObject({ kind: "done", undo: expect.any(String) });
    await ask("/api/undo", { method: "POST", body: { id: edited.body["undo"] } });
    expect(await memory.readMemory()).toBe("# Memory\n\n## Garden\n\n- Ana keeps bees\n");
    expect((await ask("/api/facts", { method: "DELETE", body: { fact: "Ana keeps bees" } })).body).toMatchObject({
      kind: "done",
    });
    expect(await memory.readMemory()).not.toContain("bees");
  });

  it("never takes another fact for the one that is meant", async () => {
    const { memory, ask } = await serve();
    const path = "memory/MEMORY.md";
    const text =
      "# Memory\n\n- Ana's boat is called Maré and is blue\n- Ana's boat is called Maré, and lies in Cascais\n";
    await writeDocument(memory, path, text);
    for (const [method, body] of [
      ["PUT", { fact: "Ana's boat is called Maré", words: "Ana's boat is called Onda" }],
      ["DELETE", { fact: "Ana's boat is called Maré" }],
    ] as const) {
      expect((await ask("/api/facts", { method, body })).body).toMatchObject({ kind: "conflict" });
    }
    expect(await readDocument(memory, path)).toBe(text);
  });

  it("says why a fact stays that cannot go alone, and lets what was accepted of it wait", async () => {
    const removed = [{ fact: "Ana", reason: "moved away" }];
    const answer = { memory: "# Memory\n\n- likes tea\n", removed };
    const { memory, workspace } = await startPlace(() => answer, { consolidation: { review: true } });
    await writeKept(workspace, "memory/MEMORY.md", "# Memory\n\n- Ana\n  - likes tea\n");
    await sayAndDigest(memory, "Ana moved away.");
    const items = (await memory.review()).flatMap(({ change, items: waiting }) =>
      waiting.map((item) => ({ ...item, change })),
    );
    const ana = items.find(({ kind }) => kind === "retire");
    const reason = expect.stringContaining("others stand below it");
    const verdict = { verdict: "accept", item: ana?.id };
    expect(await CHANGES.decide(memory, ana?.change ?? "", verdict)).toEqual({ kind: "refused", reason });
    expect((await memory.review()).flatMap((each) => each.items.map(({ id }) => id))).toContain(ana?.id);
    const which = { memory: "", fact: "Ana", under: ["Memory"], place: 0 };
    expect(await CHANGES.retireFact(memory, which)).toEqual({ kind: "conflict", reason, now: [] });
  });

  it("decides what was meant, also when several verdicts come at once", async () => {
    const memory = await open({ workspace: temporaryFolder(), config: { consolidation: { review: true } } });
    const session = await memory.session("cli:main");
    await session.append({
      role: "user",
      content: "My name is Ana Reis. I live in Porto. My dog's name is Biscoito. I am allergic to hazelnuts.",
    });
    await memory.consolidate("cli:main", { all: true });
    const inspector = openInspector(memory, { version: "0.0.0", token: TOKEN });
    const app = createApp(memory, { version: "0.0.0", token: TOKEN, inspector });
    const headers = { host: "localhost", authorization: `Bearer ${TOKEN}` };
    const { items } = (await (await app.request("http://localhost/api/review", { headers })).json()) as {
      items: { change: string; id: string; fact: string; said: { text: string } }[];
    };
    expect(items.length).toBeGreaterThanOrEqual(3);
    expect(items[0]?.said.text).toContain("Ana Reis");
    const isWanted = (fact: string) => fact.includes("Porto") || fact.includes("hazelnuts");
    const decided = await Promise.all(
      items.map(async ({ change, id: item, fact }) => {
        const body = JSON.stringify({ verdict: isWanted(fact) ? "accept" : "reject", item });
        const response = await app.request(`http://localhost/api/review/${change}`, { method: "POST", headers, body });
        return ((await response.json()) as { kind: string }).kind;
      }),
    );
    expect(new Set(decided)).toEqual(new Set(["done"]));
    const text = await memory.readMemory();
    expect(items.filter(({ fact }) => text.includes(fact)).map(({ fact }) => fact)).toEqual(
      items.map(({ fact }) => fact).filter(isWanted),
    );
    const again = JSON.stringify({ verdict: "accept", item: items[0]?.id });
    const late = await app.request(`http://localhost/api/review/${items[0]?.change}`, {
      method: "POST",
      headers,
      body: again,
    });
    expect(await late.json()).toEqual({ kind: "gone" });
  });

  it("decides for the fact that was shown, though another in the same words was decided elsewhere", async () => {
    const text = "# Memory\n\n## Ana\n\n- likes tea\n- sails\n\n## Ben\n\n- likes tea\n- reads\n";
    const removed = ["Ana stopped", "Ben stopped"].map((reason) => ({ fact: "likes tea", reason }));
    const { memory } = await startPlace(() => ({ memory: text.replaceAll("- likes tea\n", ""), removed }), {
      consolidation: { review: true },
    });
    await writeDocument(memory, "memory/MEMORY.md", text);
    await sayAndDigest(memory, "Neither of them likes tea any more.");
    const inspector = openInspector(memory, { version: "0.0.0", token: TOKEN });
    const app = createApp(memory, { version: "0.0.0", token: TOKEN, inspector });
    const headers = { host: "localhost", authorization: `Bearer ${TOKEN}` };
    const ask = async (path: string, body?: unknown) => {
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      return (await app.request(`http://localhost${path}`, { headers, ...sent })).json();
    };
    const { items } = (await ask("/api/review")) as { items: { change: string; id: string; heading: string }[] };
    expect(items.map(({ heading }) => heading)).toEqual(["Ana", "Ben"]);
    const [ana, ben] = items;
    await memory.decide({ change: ana?.change ?? "", verdict: "reject", items: [1], by: "user" });
    const decide = (item: string | undefined) => ask(`/api/review/${ana?.change}`, { verdict: "accept", item });
    expect(await decide(ana?.id)).toEqual({ kind: "gone" });
    expect(await decide(ben?.id)).toMatchObject({ kind: "done", left: 0 });
    expect(await memory.readMemory()).toBe(text.replace("## Ben\n\n- likes tea\n", "## Ben\n\n"));
  });

  it("lists files and reads no other", async () => {
    const { memory, ask } = await serve();
    await memory.appendHistory("Something happened");
    await writeDocument(memory, "memory/2026-11-01.md", "# Note\n");
    const { body } = await ask("/api/files");
    expect((body as { files: { file: string }[] }).files.map(({ file }) => file)).toEqual([
      "HISTORY.md",
      "2026-11-01.md",
    ]);
    await writeDocument(memory, "config.json", "{}");
    for (const file of ["../config.json", "../sessions/x.md", "/etc/passwd", ".hidden.md", "scopes/a/MEMORY.md"]) {
      expect((await ask(`/api/files/text?file=${encodeURIComponent(file)}`)).status, file).toBe(403);
    }
    for (const scope of ["../../x", "a/b", "..", "%2e%2e"]) {
      const { status } = await ask(`/api/files/text?file=MEMORY.md&memory=${encodeURIComponent(scope)}`);
      expect(status, scope).toBeGreaterThanOrEqual(400);
    }
  });

  it("shows pictures of sessions and nothing else", async () => {
    const { memory, url } = await serve();
    const files = ["sessions/files/cli_main"].join("/");
    await writeDocument(memory, `${files}/a.png`, "picture");
    await writeDocument(memory, `${files}/a.svg`, "<svg onload='alert(1)'/>");
    await writeDocument(memory, "b.png", "not a session's");
    const get = (path: string) =>
      fetch(`${url}/api/pictures?path=${encodeURIComponent(path)}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const good = await get("sessions/files/cli_main/a.png");
    expect(good.status).toBe(200);
    expect(good.headers.get("content-type")).toBe("image/png");
    expect(good.headers.get("content-security-policy")).toContain("sandbox");
    for (const path of [
      "sessions/files/cli_main/a.svg",
      "b.png",
      "sessions/files/../../b.png",
      "sessions/cli_main.jsonl",
    ]) {
      expect((await get(path)).status, path).toBe(403);
    }
    expect((await get("sessions/files/cli_main/none.png")).status).toBe(404);
  });

  it("counts prompts whether what they answered is digested or not", async () => {
    const { memory, ask } = await serve();
    const session = await memory.session("cli:main");
    const prompt = { bytes: 1000, stable: 600, previous: 800, digest: "x", input_tokens: 200, cached_tokens: 50 };
    await session.append({ role: "user", content: "I live in Porto." });
    await session.append({ role: "assistant", content: "Kept.", prompt });
    const read = async () => ((await ask("/api/health")).body as { prompts: object }).prompts;
    const before = await read();
    expect(before).toMatchObject({ requests: 1, share: 0.75, inputTokens: 200, cachedTokens: 50 });
    await memory.consolidate("cli:main", { all: true });
    expect(session.cursor).toBe(2);
    expect(await read()).toEqual(before);
  });

  it("describes itself: every operation is in the OpenAPI document, with what it gives", async () => {
    const { ask } = await serve();
    const { body } = await ask("/openapi.json");
    const { paths } = body as {
      paths: Record<
        string,
        Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
      >;
    };
    for (const [path, method] of [
      ["/api/facts", "get"],
      ["/api/facts", "put"],
      ["/api/states/{id}", "get"],
      ["/api/changes", "get"],
      ["/api/review/{change}", "post"],
      ["/api/undo", "post"],
      ["/api/forget", "post"],
      ["/api/health", "get"],
    ] as const) {
      const schema = paths[path]?.[method]?.responses["200"]?.content?.["application/json"]?.schema;
      expect(
        Object.keys(schema ?? {}).some((key) => key === "properties" || key === "oneOf" || key === "anyOf"),
        `${method} ${path}`,
      ).toBe(true);
    }
  });

  it("tells live what changes, and lets the server stop meanwhile", async () => {
    const { memory, url } = await serve();
    const response = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const until = async (words: string): Promise<string> => {
      let heard = "";
      while (!heard.includes(words)) {
        const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) throw new Error(`the stream ended after ${heard}`);
        heard += value;
      }
      return heard;
    };
    await until("hello");
    const session = await memory.session("cli:main");
    await session.append({ role: "user", content: "Hello" });
    await until('"talk"');
    await appendDocument(memory, "memory/MEMORY.md", "- A fact by an editor\n");
    await until('"memory"');
  });
});

describe("who may act in a person's name", () => {
  it("wants the page's cookie where there is no token, and gives it to whoever opens the page", async () => {
    const { url, memory } = await serve({ token: undefined });
    const add = (headers: Record<string, string>) =>
      fetch(`${url}/api/facts`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ fact: "Ana keeps bees" }),
      });
    expect((await add({})).status).toBe(401);
    expect((await fetch(`${url}/api/facts`)).status).toBe(200);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    const cookie = page.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const [pair = ""] = cookie.split(";");
    expect((await add({ cookie: pair, origin: "http://localhost:3000" })).status).toBe(401);
    expect((await add({ cookie: pair, "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await add({ cookie: pair })).status).toBe(200);
    expect(await memory.readMemory()).toContain("bees");
  });

  it("knows the paths at which a person acts however they are written", async () => {
    const { url, memory } = await serve({ token: undefined });
    await memory.remember("cli:main", { fact: "Ana keeps bees", by: "user" });
    const headers = { "content-type": "application/json", origin: "http://localhost:3999" };
    const body = JSON.stringify({ text: "bees", confirm: "forget", fact: "Ana keeps wasps" });
    for (const { method, path } of PERSONAL_PATHS) {
      const plain = path.replaceAll(/\{\w+\}/g, "1");
      const [, start = "", letter = "", rest = ""] = /^(\/api\/)(.)(.*)$/.exec(plain) ?? [];
      const encoded = `${start}%${letter.charCodeAt(0).toString(16)}${rest}`;
      for (const each of [plain, encoded, plain.replace("/api", "/%61pi")]) {
        const response = await fetch(`${url}${each}`, { method: method.toUpperCase(), headers, body });
        expect([each, response.status]).toEqual([each, 401]);
      }
    }
    expect(await memory.readMemory()).toContain("bees");
  });

  it("gives no cookie for nothing where there is a token", async () => {
    const { url } = await serve();
    const page = await fetch(url);
    expect([page.status, page.headers.get("set-cookie")]).toEqual([200, null]);
    expect((await fetch(`${url}/api/page`)).status).toBe(401);
    const wrong = await fetch(`${url}/api/enter`, { method: "POST", body: JSON.stringify({ token: "guess" }) });
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null]);
    const right = await fetch(`${url}/api/enter`, { method: "POST", body: JSON.stringify({ token: TOKEN }) });
    const [pair = ""] = (right.headers.get("set-cookie") ?? "").split(";");
    expect((await fetch(`${url}/api/page`, { headers: { cookie: pair } })).status).toBe(200);
    expect((await fetch(`${url}/enter/no-such-code`, { redirect: "manual" })).headers.get("set-cookie")).toBe(null);
    expect((await fetch(`${url}/api/page`, { headers: { cookie: pair, host: "evil.example" } })).status).toBeLessThan(
      500,
    );
  });

  it("changes nothing in read-only mode", async () => {
    const { ask, memory } = await serve({ token: TOKEN, isReadOnly: true });
    for (const [method, path, body] of [
      ["POST", "/api/facts", { fact: "x" }],
      ["PUT", "/api/memory", { text: "x" }],
      ["POST", "/api/forget", { text: "anything", confirm: "forget" }],
      ["POST", "/v1/chat/completions", { messages: [] }],
    ] as const) {
      expect((await ask(path, { method, body })).status, path).toBe(403);
    }
    expect((await ask("/api/forget/preview", { method: "POST", body: { text: "anything" } })).status).toBe(200);
    expect(await memory.readMemory()).toBe("");
  });

  it("forgets only what was confirmed in words", async () => {
    const { ask, memory } = await serve();
    await memory.remember("cli:main", { fact: "Ana keeps bees", by: "user" });
    expect((await ask("/api/forget", { method: "POST", body: { text: "bees" } })).status).toBe(400);
    expect(await memory.readMemory()).toContain("bees");
    const { body } = await ask("/api/forget", { method: "POST", body: { text: "bees", confirm: "forget" } });
    expect(body).toMatchObject({ kind: "text", isProven: true, left: [] });
    expect(JSON.stringify(body)).not.toContain("bees");
    expect(await memory.readMemory()).not.toContain("bees");
  });

  it("lets its own page change things under whatever name it may be addressed by", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    const inspector = openInspector(memory, { version: "0.0.0", token: TOKEN });
    const app = createApp(memory, { version: "0.0.0", token: TOKEN, inspector, allowedHosts: ["tide.example"] });
    const add = (origin: string) =>
      app.request("http://tide.example/api/facts", {
        method: "POST",
        headers: { host: "tide.example", origin, authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ fact: `Said by ${origin}` }),
      });
    expect((await add("http://tide.example")).status).toBe(200);
    expect((await add("http://tide.example.evil.example")).status).toBe(403);
    expect((await add("http://other.example")).status).toBe(403);
    expect((await memory.readMemory()).match(/Said by/g)).toHaveLength(1);
  });
});

describe("memories of several people", () => {
  it("shows each on its own", async () => {
    const memory = await open({ workspace: temporaryFolder(), config: { memory: { scope: "user" } } });
    await memory.remember("telegram:ana:1", { fact: "Ana keeps bees", by: "user" });
    await memory.remember("telegram:ben:1", { fact: "Ben keeps goats", by: "user" });
    const inspector = openInspector(memory, { version: "0.0.0", token: TOKEN });
    const app = createApp(memory, { version: "0.0.0", token: TOKEN, inspector });
    const ask = async (path: string, options: RequestInit = {}) => {
      const headers = { host: "localhost", authorization: `Bearer ${TOKEN}` };
      return (await app.request(`http://localhost${path}`, { ...options, headers })).json() as Promise<never>;
    };
    const { memories } = (await ask("/api/page")) as { memories: { memory: string; name: string }[] };
    expect(memories.map(({ name }) => name)).toEqual(["", "telegram:ana", "telegram:ben"]);
    const ben = memories.find(({ name }) => name === "telegram:ben")?.memory ?? "";
    const facts = async () =>
      ((await ask(`/api/facts?memory=${ben}`)) as { facts: { fact: string }[] }).facts.map(({ fact }) => fact);
    expect(await facts()).toEqual(["Ben keeps goats"]);
    await ask("/api/facts", {
      method: "PUT",
      body: JSON.stringify({ memory: ben, fact: "Ben keeps goats", words: "Ben keeps two goats" }),
    });
    expect(await facts()).toEqual(["Ben keeps two goats"]);
    expect(await memory.readMemory("telegram:ana:1")).toContain("Ana keeps bees");
    const { states } = (await ask(`/api/states?memory=${ben}`)) as { states: { facts: number }[] };
    expect(states.map((each) => each.facts)).toEqual([1, 1]);
  });
});
