// @module-tag stores
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/server/create-app.ts";
import { listen } from "../../src/server/listen.ts";
import { startModel } from "../support/model-server.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startServer } from "./start-server.ts";

const workspace = () => open({ workspace: temporaryFolder() });

/** A request with headers that fetch would not let through. */
function ask(url: string, headers: Record<string, string>, method = "GET"): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on("error", reject).end();
  });
}

describe("who may ask", () => {
  it("answers under the loopback's names and refuses any other", async () => {
    const url = await startServer(await workspace());
    for (const host of ["localhost:1", "127.0.0.1", "[::1]:8420"]) {
      expect(await ask(`${url}/api/status`, { host })).toMatchObject({ status: 200 });
    }
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"]) {
      const { status, body } = await ask(`${url}/api/status`, { host });
      expect(status).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ error: { code: "host_refused" } });
    }
  });

  it("may be addressed by number where others can reach it, and by the names that it was given", async () => {
    const url = await startServer(await workspace(), { allowsAddresses: true, allowedHosts: ["tide.example"] });
    for (const host of ["192.168.1.5:8420", "[fe80::1]:8420", "tide.example"]) {
      expect((await ask(`${url}/api/status`, { host })).status).toBe(200);
    }
    expect((await ask(`${url}/api/status`, { host: "evil.example" })).status).toBe(403);
  });

  it("refuses web pages from elsewhere", async () => {
    const url = await startServer(await workspace());
    const strangers: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://localhost.evil.example" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of strangers) {
      expect((await ask(`${url}/api/memory`, headers)).status).toBe(403);
      expect((await ask(`${url}/v1/chat/completions`, headers, "POST")).status).toBe(403);
      expect((await ask(`${url}/mcp`, headers, "POST")).status).toBe(403);
    }
    expect((await ask(`${url}/api/memory`, { origin: "http://localhost:5173" })).status).toBe(200);
    const open = await startServer(await workspace(), { allowedOrigins: ["https://app.example"] });
    expect((await ask(`${open}/api/memory`, { origin: "https://app.example" })).status).toBe(200);
  });

  it("wants its token from everyone when it has one", async () => {
    const url = await startServer(await workspace(), { token: "s3cret" });
    for (const authorization of ["", "Bearer ", "Bearer wrong", "s3cret", "Bearer s3cret2"]) {
      expect((await ask(`${url}/api/status`, { authorization })).status).toBe(401);
    }
    expect((await ask(`${url}/api/status`, { authorization: "Bearer s3cret" })).status).toBe(200);
  });

  it("does not hand its own token to a provider", async () => {
    const model = await startModel(() => ({ text: "ok" }));
    const seen: (string | null)[] = [];
    const memory = await open({ workspace: temporaryFolder(), config: model.config });
    const spy: typeof fetch = (input, init) => {
      seen.push(new Headers(init?.headers).get("authorization"));
      return fetch(input, init);
    };
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hi" }] });
    const headers = { authorization: "Bearer mine" };
    const guarded = await startServer(memory, { token: "mine", fetch: spy });
    await fetch(`${guarded}/v1/chat/completions`, { method: "POST", headers, body });
    const bare = await startServer(memory, { fetch: spy });
    await fetch(`${bare}/v1/chat/completions`, { method: "POST", headers, body });
    expect(seen).toEqual([null, "Bearer mine"]);
  });

  it("takes its token as Anthropic's clients send theirs, and names the flag for a host that it refuses", async () => {
    const url = await startServer(await open({ workspace: temporaryFolder() }), { token: "s3cret" });
    expect((await fetch(`${url}/api/status`, { headers: { "x-api-key": "s3cret" } })).status).toBe(200);
    expect((await fetch(`${url}/api/status`, { headers: { "x-api-key": "wrong" } })).status).toBe(401);
    const refused = await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" });
    expect(await refused.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
    const app = createApp(await open({ workspace: temporaryFolder() }), { version: "1" });
    const host = await app.request("/health", { headers: { host: "tide.example" } });
    expect(await host.json()).toMatchObject({
      error: { message: expect.stringContaining("--allow-host tide.example") },
    });
  });

  it("has no sign-in for clients to find, so that they ask for the token", async () => {
    const url = await startServer(await open({ workspace: temporaryFolder() }), { token: "s3cret" });
    for (const name of ["oauth-authorization-server", "oauth-protected-resource", "oauth-protected-resource/mcp"]) {
      expect((await fetch(`${url}/.well-known/${name}`)).status).toBe(404);
    }
  });

  it("answers the preflight of pages that may ask, before any token, and of no others", async () => {
    const options = { token: "s3cret", allowedOrigins: ["https://app.example"] };
    const url = await startServer(await open({ workspace: temporaryFolder() }), options);
    const preflight = (origin: string) =>
      fetch(`${url}/mcp`, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,mcp-protocol-version",
        },
      });
    const allowed = await preflight("https://app.example");
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(allowed.headers.get("access-control-allow-headers")).toBe("authorization,mcp-protocol-version");
    expect((await preflight("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    const asked = await fetch(`${url}/api/status`, {
      headers: { origin: "https://app.example", authorization: "Bearer s3cret" },
    });
    expect(asked.headers.get("access-control-expose-headers")).toContain("mcp-session-id");
  });

  it("listens elsewhere only with a token", async () => {
    const app = createApp(await workspace(), { version: "0" });
    await expect(listen(app, { host: "0.0.0.0", port: 0 })).rejects.toThrow(/needs a token/);
  });

  it("bounds the size of bodies", async () => {
    const url = await startServer(await workspace(), { maxBodyBytes: 1000 });
    const body = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(2000) }] });
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "body_too_large" } });
  });
});

describe("the JSON API", () => {
  it("stores a message once that comes several times at once, or twice in one body", async () => {
    const memory = await workspace();
    const url = await startServer(memory);
    const message = { role: "user", content: "Hello", id: "same" };
    const body = JSON.stringify({ messages: [message, message, { role: "user", content: "No id" }] });
    const post = async () => {
      const response = await fetch(`${url}/api/sessions/app:1/messages`, { method: "POST", body });
      return (await response.json()) as { stored: string[]; known: number };
    };
    const answers = await Promise.all(Array.from({ length: 8 }, post));
    expect(answers.map(({ known }) => known).toSorted((one, other) => one - other)).toEqual([1, 2, 2, 2, 2, 2, 2, 2]);
    const stored = (await memory.session("app:1")).messages();
    expect(stored.filter(({ id }) => id === "same")).toHaveLength(1);
    expect(stored).toHaveLength(9);
  });

  it("stores, searches, remembers, forgets, undoes and logs", async () => {
    const memory = await workspace();
    const url = await startServer(memory);
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${url}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const key = encodeURIComponent("app:1/x");
    const messages = [{ role: "user", content: "The boiler code is 4711", id: "m1" }];
    expect(await call("POST", `/api/sessions/${key}/messages`, { messages })).toMatchObject({
      body: { stored: ["m1"], known: 0 },
    });
    expect(await call("POST", `/api/sessions/${key}/messages`, { messages })).toMatchObject({
      body: { stored: [], known: 1 },
    });
    expect(await call("GET", `/api/sessions/${key}`)).toMatchObject({ body: { length: 1, messages: [{ id: "m1" }] } });
    expect(await call("GET", "/api/search?q=boiler+code&limit=1")).toMatchObject({
      body: { results: [{ session: "app:1/x", messages: ["m1"] }] },
    });
    expect(await call("POST", "/api/memory/facts", { fact: "The boiler is a Vaillant." })).toMatchObject({
      body: { kind: "saved" },
    });
    expect(await call("GET", "/api/memory")).toMatchObject({
      body: { facts: [{ fact: "The boiler is a Vaillant." }] },
    });
    expect(await call("DELETE", "/api/memory/facts", { fact: "boiler Vaillant" })).toMatchObject({
      body: { kind: "retired" },
    });
    expect(await call("POST", "/api/memory/undo", {})).toMatchObject({ body: { kind: "undone" } });
    expect(await call("GET", "/api/memory")).toMatchObject({
      body: { facts: [{ fact: "The boiler is a Vaillant." }] },
    });
    expect(((await call("GET", "/api/log")).body["changes"] as unknown[]).length).toBe(3);
    expect(await call("POST", `/api/sessions/${key}/new`)).toMatchObject({ body: { key: "app:1/x" } });
    expect(await call("GET", "/api/status")).toMatchObject({ body: { memory: { facts: 1 } } });
    expect(await call("GET", "/api/sessions")).toMatchObject({ status: 200 });
  });

  it("says what is wrong with a request", async () => {
    const url = await startServer(await workspace());
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`);
      return { status: response.status, ...((await response.json()) as object) };
    };
    expect(await get("/api/search")).toMatchObject({ status: 400, error: { param: "q" } });
    expect(await get("/api/search?q=x&limit=0")).toMatchObject({ status: 400, error: { param: "limit" } });
    expect(await get("/api/search?q=x&since=soon")).toMatchObject({ status: 400, error: { code: "query_invalid" } });
    expect(await get("/api/sessions/no:one")).toMatchObject({ status: 404, error: { code: "not_found" } });
    expect(await get("/nowhere")).toMatchObject({ status: 404, error: { type: "invalid_request_error" } });
  });

  it("describes every operation in its OpenAPI document", async () => {
    const url = await startServer(await workspace());
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toBe("3.1.0");
    for (const path of [
      "/v1/chat/completions",
      "/v1/models",
      "/api/search",
      "/api/sessions",
      "/api/memory",
      "/api/log",
      "/api/status",
    ]) {
      expect(document.paths).toHaveProperty([path]);
    }
    expect(document).toMatchObject({
      paths: {
        "/api/search": {
          get: {
            parameters: expect.arrayContaining([
              expect.objectContaining({ name: "q", required: true }),
              expect.objectContaining({ name: "limit", required: false }),
            ]),
          },
        },
      },
    });
  });
});

describe("stopping", () => {
  it("lets a request under way finish, and takes no more", async () => {
    let answer = (): void => undefined;
    const model = await startModel(() => new Promise((resolve) => (answer = () => resolve({ text: "late" }))));
    const memory = await open({ workspace: temporaryFolder(), config: model.config });
    const server = await listen(createApp(memory, { version: "0" }), { host: "127.0.0.1", port: 0 });
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hi" }] });
    const asked = fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const closed = server.close(5000);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    answer();
    expect(await (await asked).json()).toMatchObject({ choices: [{ message: { content: "late" } }] });
    await closed;
  });
});
