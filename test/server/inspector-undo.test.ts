// @module-tag stores
import { describe, expect, it, onTestFinished } from "vitest";
import { readDocument, writeDocument } from "../support/documents.ts";
import type { Memory, MemoryOptions } from "../../src/index.ts";
import { createApp } from "../../src/server/create-app.ts";
import { openInspector } from "../../src/server/inspector/open-inspector.ts";
import { listen } from "../../src/server/listen.ts";
import { startModel } from "../support/model-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const OWNER = "token-of-the-one-who-runs-it";
const TOKENS = {
  "token-of-ana-who-writes": { scope: "telegram:1", access: "write" },
  [OWNER]: { scope: "*", access: "write" },
} as const;

async function serve(options: Partial<MemoryOptions> = {}, tokens?: typeof TOKENS) {
  const memory = await open({ workspace: temporaryFolder(), ...options });
  const inspector = openInspector(memory, { version: "0.0.0", ...(tokens ? { tokens } : { token: OWNER }) });
  const app = createApp(memory, { version: "0.0.0", inspector, ...(tokens ? { tokens } : { token: OWNER }) });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    inspector.close();
    await server.close(0);
    await app.finish();
  });
  const ask = async (path: string, { method = "GET", body, token = OWNER }: Asked = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  return { memory, url: server.url, ask };
}

interface Asked {
  method?: string;
  body?: unknown;
  token?: string;
}

const EQUALS = `# Memory

## Ana

- likes tea
- sails

## Ben

- likes tea
- likes tea
`;

async function withText(memory: Memory, text: string): Promise<() => Promise<string>> {
  await writeDocument(memory, "memory/MEMORY.md", text);
  await memory.trust.look();
  return () => readDocument(memory, "memory/MEMORY.md");
}

describe("facts of the same words", () => {
  it("are told apart by headings and place, edited and retired one by one, and come back by undo", async () => {
    const { memory, ask } = await serve();
    const read = await withText(memory, EQUALS);
    const { body } = await ask("/api/facts");
    const page = body as { headings: string[][]; facts: { fact: string; under: number; place?: number }[] };
    const named = page.facts.map(({ fact, under, place = 0 }) => ({ fact, under: page.headings[under], place }));
    expect(named).toEqual([
      { fact: "likes tea", under: ["Memory", "Ana"], place: 0 },
      { fact: "sails", under: ["Memory", "Ana"], place: 0 },
      { fact: "likes tea", under: ["Memory", "Ben"], place: 0 },
      { fact: "likes tea", under: ["Memory", "Ben"], place: 1 },
    ]);
    for (const [index, which] of named.entries()) {
      const lines = EQUALS.split("\n");
      const line = lines.findIndex(
        (_, at) => lines.slice(0, at + 1).filter((each) => each.startsWith("- ")).length === index + 1,
      );
      const words = `likes coffee ${index}`;
      const edited = await ask("/api/facts", { method: "PUT", body: { ...which, words } });
      expect(edited.body).toMatchObject({ kind: "done" });
      expect(await read()).toBe(lines.with(line, `- ${words}`).join("\n"));
      await ask("/api/undo", { method: "POST", body: { id: (edited.body as { undo: string }).undo } });
      expect(await read()).toBe(EQUALS);
      const retired = await ask("/api/facts", { method: "DELETE", body: which });
      expect(await read()).toBe(lines.toSpliced(line, 1).join("\n"));
      await ask("/api/undo", { method: "POST", body: { id: (retired.body as { undo: string }).undo } });
      expect(await read()).toBe(EQUALS);
    }
  });

  it("may be said of one of them what is said of another already", async () => {
    const { memory, ask } = await serve();
    const read = await withText(memory, EQUALS);
    const body = { fact: "sails", under: ["Memory", "Ana"], place: 0, words: "likes tea too" };
    await ask("/api/facts", { method: "PUT", body });
    const again = { fact: "likes tea", under: ["Memory", "Ben"], place: 1, words: "likes tea too" };
    expect((await ask("/api/facts", { method: "PUT", body: again })).body).toMatchObject({ kind: "done" });
    expect(await read()).toBe(
      EQUALS.replace("- sails", "- likes tea too").replace(/- likes tea\n$/, "- likes tea too\n"),
    );
    const added = await ask("/api/facts", { method: "POST", body: { fact: "sails", heading: "Ben" } });
    expect(added.body).toMatchObject({ kind: "done" });
  });

  it("are a conflict, with nothing touched, where words alone do not tell, or the one that is meant has gone", async () => {
    const { memory, ask } = await serve();
    const read = await withText(memory, EQUALS);
    for (const which of [
      { fact: "likes tea" },
      { fact: "likes tea", under: ["Memory", "Ana"], place: 1 },
      { fact: "likes tea", under: ["Memory", "Cleo"], place: 0 },
    ]) {
      const edited = await ask("/api/facts", { method: "PUT", body: { ...which, words: "likes coffee" } });
      expect(edited.body).toMatchObject({ kind: "conflict" });
      expect((await ask("/api/facts", { method: "DELETE", body: which })).body).toMatchObject({ kind: "conflict" });
    }
    expect(await read()).toBe(EQUALS);
  });

  it("have each their own source", async () => {
    const { memory, ask } = await serve();
    const session = await memory.session("cli:main");
    await session.append({ role: "user", content: "Note under Ana: she likes tea." });
    await memory.remember("cli:main", { fact: "likes tea", heading: "Ana", by: "user" });
    await memory.remember("cli:other", { fact: "likes tea", heading: "Ben", by: "user" });
    const page = (await ask("/api/facts")).body as {
      facts: { by: number; source?: { session: string } }[];
      bringers: { change: string }[];
    };
    expect(page.facts.map(({ source }) => source?.session)).toEqual(["cli:main", "cli:other"]);
    const changes = (await memory.history.list()).map(({ id }) => id);
    expect(page.facts.map(({ by }) => page.bringers[by]?.change)).toEqual(changes);
  });
});

describe("a decision in the review", () => {
  it("is taken back: a rejection by its undo, an acceptance with its change, and both wait again", async () => {
    const { memory, ask } = await serve({ config: { consolidation: { review: true } } });
    const session = await memory.session("cli:main");
    await session.append({ role: "user", content: "My name is Ana Reis. I live in Porto. I keep bees." });
    await memory.consolidate("cli:main", { all: true });
    type Items = { items: { change: string; id: string; fact: string }[] };
    const waiting = async () => ((await ask("/api/review")).body as Items).items;
    const before = await waiting();
    expect(before.length).toBeGreaterThan(1);
    for (const verdict of ["reject", "accept"] as const) {
      const [item] = await waiting();
      if (item === undefined) throw new Error("nothing waits");
      const body = { verdict, item: item.id };
      const { undo } = (await ask(`/api/review/${item.change}`, { method: "POST", body })).body as { undo: string };
      expect((await waiting()).map(({ fact }) => fact)).not.toContain(item.fact);
      const told = (await ask(`/api/changes/${undo}`)).body as { isRejection: boolean };
      expect(told.isRejection).toBe(verdict === "reject");
      const undone = await ask("/api/undo", { method: "POST", body: { id: undo } });
      expect(undone.body).toMatchObject(
        verdict === "reject" ? { kind: "returned", items: [item.fact] } : { kind: "undone" },
      );
      expect((await waiting()).map(({ fact }) => fact).toSorted()).toEqual(before.map(({ fact }) => fact).toSorted());
      expect(await memory.readMemory()).not.toContain(item.fact);
    }
    expect(await memory.reconsider({ by: "user" })).toEqual({
      kind: "nothing",
      reason: "nothing has been rejected yet",
    });
  });

  it("comes back also after all of its proposal was decided, and not once it was forgotten", async () => {
    const memory = await open({ workspace: temporaryFolder(), config: { consolidation: { review: true } } });
    const session = await memory.session("cli:main");
    await session.append({ role: "user", content: "I live in Porto. I keep bees in Vilarinho." });
    await memory.consolidate("cli:main", { all: true });
    const [proposal] = await memory.review();
    if (proposal === undefined) throw new Error("nothing waits");
    const { decision } = await memory.decide({ change: proposal.change, verdict: "reject", by: "user" });
    expect(await memory.review()).toEqual([]);
    await memory.trust.forget({ text: "Vilarinho" });
    const returned = await memory.reconsider({ change: decision ?? "", by: "user" });
    expect(JSON.stringify(returned)).not.toContain("Vilarinho");
    expect(JSON.stringify(await memory.review())).toContain("Porto");
    expect(JSON.stringify(await memory.history.listDecided())).not.toContain("Vilarinho");
  });
});

describe("what the model answered", () => {
  const KEY = `sk-ant-api03-${"Ab1".repeat(31)}-AA`;
  const answer = (entry: string) => ({
    history_entry: `[2026-11-15 09:00] ${entry}`,
    memory_update: `# Memory\n\n- Ana lives in "Porto"\n- her key is ${KEY}\n`,
  });

  it("is kept with the change, masked and within bounds, and goes with what is forgotten", async () => {
    const model = await startModel(() => ({
      call: "save_memory",
      arguments: answer(`Porto was talked of. ${"Long. ".repeat(4000)}`),
    }));
    const { memory, ask } = await serve({ config: model.config });
    const session = await memory.session("cli:main");
    await session.append({ role: "user", content: "I am Ana and I live in Porto." });
    await memory.consolidate("cli:main", { all: true });
    const [change] = await memory.history.list();
    const { body } = await ask(`/api/changes/${change?.id}`);
    const said = JSON.stringify((body as { answer: unknown }).answer);
    expect(said).toContain("save_memory");
    expect(said).toContain("Porto was talked of");
    expect(said).not.toContain(KEY);
    expect(said).toContain("cut: there were");
    expect(said.length).toBeLessThan(20_000);
    await memory.trust.forget({ text: 'lives in "Porto"' });
    expect(await memory.history.listAnswers()).toEqual([]);
  });

  it("is kept also where it could not be used", async () => {
    const model = await startModel(() => ({ text: "I would rather not." }));
    const { memory, ask } = await serve({ config: model.config });
    await (await memory.session("cli:main")).append({ role: "user", content: "I am Ana." });
    await memory.consolidate("cli:main", { all: true });
    const [change] = await memory.history.list();
    expect(change?.outcome).toBe("refused");
    expect((await ask(`/api/changes/${change?.id}`)).body).toMatchObject({ answer: { text: "I would rather not." } });
  });
});

describe("where users have tokens of their own", () => {
  it("opens the page only to whoever may see all of it", async () => {
    const { memory, url, ask } = await serve({ config: { memory: { scope: "user" } } }, TOKENS);
    await memory.replaceMemory("# Memory\n\n- Ben's own\n", "telegram:2");
    const page = await fetch(`${url}/`);
    expect(page.headers.get("set-cookie")).toBeNull();
    const enter = (token: string) =>
      fetch(`${url}/api/enter`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
      });
    expect((await enter("token-of-ana-who-writes")).status).toBe(401);
    const entered = await enter(OWNER);
    expect(entered.headers.get("set-cookie")).toContain("HttpOnly");
    const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await fetch(`${url}/api/talk`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${url}/api/talk`)).status).toBe(401);
    for (const path of [
      "/api/facts?memory=telegram_2",
      "/api/talk",
      "/api/changes",
      "/api/review",
      "/api/health",
      "/api/files",
      "/api/states",
      "/api/explain?q=own",
      "/api/page",
      "/api/doctor",
      "/api/events",
      "/api/pictures?path=x",
    ]) {
      const { status, body } = await ask(path, { token: "token-of-ana-who-writes" });
      expect([path, status]).toEqual([path, 403]);
      expect(JSON.stringify(body)).not.toContain("Ben");
    }
    const asked = { method: "POST", body: { text: "Ben" }, token: "token-of-ana-who-writes" };
    expect((await ask("/api/forget/preview", asked)).status).toBe(403);
  });
});
