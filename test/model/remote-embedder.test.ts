import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openEmbedder } from "../../src/model/open-embedder.ts";

interface Asked {
  model: string;
  input: string[];
}
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** An embeddings endpoint on loopback that answers as the script says. */
async function startServer(script: (asked: Asked, count: number) => Answer | Promise<Answer>) {
  const asked: Asked[] = [];
  const keys: (string | undefined)[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) {
      parts.push(part as Buffer);
    }
    const body = JSON.parse(Buffer.concat(parts).toString()) as Asked;
    asked.push(body);
    keys.push(request.headers.authorization);
    const answer = await script(body, asked.length);
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.body));
  };
  const server = createServer((request, response) => void handle(request, response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const open = () =>
    openEmbedder({ model: "mine/words", apiKey: "secret", baseUrl: `http://127.0.0.1:${port}/v1`, dataFolder: "" });
  return { asked, keys, open };
}

function vectorsFor(input: readonly string[], dimensions = 4): Answer {
  const data = input.map((text, index) => ({
    object: "embedding",
    index,
    embedding: Array.from({ length: dimensions }, (_, place) => (place === 0 ? text.length : 1)),
  }));
  return { body: { object: "list", data, model: "words", usage: { prompt_tokens: 1, total_tokens: 1 } } };
}

const refusal = (message: string): unknown => ({ error: { message, type: "invalid_request_error" } });

describe("a remote embedder", () => {
  it("gives unit vectors in order, and tells the server its key and model", async () => {
    const { open, asked, keys } = await startServer(({ input }) => vectorsFor(input));
    const embedder = await open();
    expect(embedder).toMatchObject({ id: "mine/words", dimensions: 4 });
    const texts = Array.from({ length: 300 }, (_, index) => "x".repeat(index + 1));
    const vectors = await embedder.embed(texts);
    expect(vectors).toHaveLength(300);
    for (const [index, vector] of vectors.entries()) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      expect((vector[0] ?? 0) / (vector[1] ?? 1)).toBeCloseTo(index + 1, 2);
    }
    expect(asked.every(({ model, input }) => model === "words" && input.length <= 128)).toBe(true);
    expect(new Set(keys)).toEqual(new Set(["Bearer secret"]));
  });

  it("keeps batches of long texts within the limit of tokens", async () => {
    const { open, asked } = await startServer(({ input }) => vectorsFor(input));
    const embedder = await open();
    await embedder.embed(Array.from({ length: 10 }, () => "word ".repeat(10_000)));
    expect(asked.slice(1).map(({ input }) => input.length)).toEqual([2, 2, 2, 2, 2]);
  });

  it("sends no empty text", async () => {
    const { open, asked } = await startServer(({ input }) => vectorsFor(input));
    const embedder = await open();
    expect(await embedder.embed(["", "  ", "a"])).toHaveLength(3);
    expect(asked.at(-1)?.input.every((text) => text.trim() !== "")).toBe(true);
  });

  it("says clearly that the server is down", async () => {
    const { open } = await startServer(({ input }) => vectorsFor(input));
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    await expect(open()).rejects.toMatchObject({
      code: "EMBEDDER_FAILED",
      message: expect.stringContaining("mine/words"),
    });
  });

  it("says clearly that a server went down later", async () => {
    const { open } = await startServer(({ input }) => vectorsFor(input));
    const embedder = await open();
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    await expect(embedder.embed(["a"], { kind: "query" })).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
  });

  it("waits as long as a busy server asks for", async () => {
    const order: string[] = [];
    const { open } = await startServer(({ input }, count) => {
      order.push(`request ${count}`);
      if (count !== 2) return vectorsFor(input);
      // A timer that is set earlier and runs shorter comes first, however busy the machine is.
      setTimeout(() => order.push("almost a second"), 900);
      return { status: 429, headers: { "retry-after": "1" }, body: refusal("slow down") };
    });
    const embedder = await open();
    expect(await embedder.embed(["a", "b"])).toHaveLength(2);
    expect(order).toEqual(["request 1", "request 2", "almost a second", "request 3"]);
  });

  it("tries again after a failure of the server, but not for ever", async () => {
    const { open, asked } = await startServer(({ input }, count) =>
      count === 1 ? vectorsFor(input) : { status: 503, headers: { "retry-after-ms": "1" }, body: refusal("down") },
    );
    const embedder = await open();
    await expect(embedder.embed(["a"])).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
    expect(asked).toHaveLength(1 + 5);
    await expect(embedder.embed(["a"], { kind: "query" })).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
    expect(asked).toHaveLength(1 + 5 + 2);
  });

  it("does not repeat a request that the server refuses for good", async () => {
    const { open, asked } = await startServer(({ input }, count) =>
      count === 1 ? vectorsFor(input) : { status: 401, body: refusal("bad key") },
    );
    const embedder = await open();
    await expect(embedder.embed(["a"])).rejects.toThrow("bad key");
    expect(asked).toHaveLength(2);
  });

  it.each([
    [413, "Payload"],
    [400, "This batch has too many inputs"],
    [422, "batch size 20 > maximum allowed batch size 8"],
  ])("splits a batch that is too large (%i), and remembers", async (status, message) => {
    const { open, asked } = await startServer(({ input }) =>
      input.length > 8 ? { status, body: refusal(message) } : vectorsFor(input),
    );
    const embedder = await open();
    const texts = Array.from({ length: 20 }, (_, index) => "y".repeat(index + 1));
    const vectors = await embedder.embed(texts);
    expect(vectors.map((vector) => Math.round((vector[0] ?? 0) / (vector[1] ?? 1)))).toEqual(
      texts.map((text) => text.length),
    );
    const before = asked.length;
    await embedder.embed(texts);
    expect(asked.slice(before).every(({ input }) => input.length <= 8)).toBe(true);
  });

  it("cuts a single text that is too long, until it fits", async () => {
    const { open } = await startServer(({ input }) =>
      input.some((text) => text.length > 1000)
        ? { status: 400, body: refusal("maximum context length exceeded") }
        : vectorsFor(input),
    );
    const embedder = await open();
    const [short, long] = await embedder.embed(["brief", "z".repeat(5000)]);
    expect(Math.round((short?.[0] ?? 0) / (short?.[1] ?? 1))).toBe(5);
    expect(Math.round((long?.[0] ?? 0) / (long?.[1] ?? 1))).toBe(625);
  });

  it("gives up on a text that is too long at any length", async () => {
    const { open } = await startServer(({ input }, count) =>
      count === 1 ? vectorsFor(input) : { status: 413, body: refusal("no") },
    );
    const embedder = await open();
    await expect(embedder.embed(["z".repeat(500)])).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
  });

  it("refuses vectors of another dimension, saying which", async () => {
    const { open } = await startServer(({ input }, count) => vectorsFor(input, count === 1 ? 4 : 3));
    const embedder = await open();
    await expect(embedder.embed(["a"])).rejects.toThrow(/3 numbers where 4 were expected/);
  });

  it("refuses an answer with too few vectors", async () => {
    const { open } = await startServer(({ input }, count) => vectorsFor(count === 1 ? input : input.slice(1)));
    const embedder = await open();
    await expect(embedder.embed(["a", "b"])).rejects.toThrow(/1 vectors for 2 texts/);
  });

  it("refuses a vector of length zero", async () => {
    const nothing = { body: { object: "list", data: [{ embedding: [0, 0, 0, 0] }] } };
    const { open } = await startServer(({ input }, count) => (count === 1 ? vectorsFor(input) : nothing));
    const embedder = await open();
    await expect(embedder.embed(["a"])).rejects.toThrow(/of length zero/);
  });

  it("stops when it is told to, also while it waits", async () => {
    const { open, asked } = await startServer(({ input }, count) =>
      count === 1 ? vectorsFor(input) : { status: 429, headers: { "retry-after": "30" }, body: refusal("later") },
    );
    const embedder = await open();
    const stop = new AbortController();
    const answer = embedder.embed(["a"], { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await expect(answer).rejects.toThrow("enough");
    expect(asked).toHaveLength(2);
  });

  it("answers nothing after it was closed", async () => {
    const { open } = await startServer(({ input }) => vectorsFor(input));
    const embedder = await open();
    await embedder.close();
    await expect(embedder.embed(["a"])).rejects.toMatchObject({ code: "CLOSED" });
  });
});
