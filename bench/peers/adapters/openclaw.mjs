import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { mkdir, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

/** One note a message, hybrid search, asked through its command line: a process a question, so that few are asked. */
export const about =
  "built-in memory: hybrid search by its command line, one note a message, the shared embedder behind an OpenAI-compatible server";
export const mostQuestions = 15;

const run = promisify(execFile);

export async function open({ folder, embed }) {
  const script = new URL("node_modules/openclaw/openclaw.mjs", import.meta.url).pathname;
  const server = createServer((request, response) => void answer(request, response, embed));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const workspace = `${folder}/workspace`;
  await mkdir(`${workspace}/memory`, { recursive: true });
  const configuration = {
    agents: { defaults: { workspace } },
    memory: {
      search: {
        provider: "openai-compatible",
        model: "shared",
        remote: { baseUrl: `http://127.0.0.1:${server.address().port}/v1/`, apiKey: "none" },
      },
    },
  };
  await writeFile(`${folder}/openclaw.json`, JSON.stringify(configuration));
  const environment = {
    ...process.env,
    OPENCLAW_STATE_DIR: `${folder}/state`,
    OPENCLAW_CONFIG_PATH: `${folder}/openclaw.json`,
  };
  const call = async (...words) =>
    (
      await run(process.execPath, [script, "memory", ...words], {
        env: environment,
        maxBuffer: 1 << 26,
        timeout: 600_000,
      })
    ).stdout;
  return {
    async add(messages) {
      for (const [number, { text }] of messages.entries())
        await writeFile(`${workspace}/memory/m${number}.md`, `${text}\n`);
      await call("index", "--force");
    },
    async ask(query, limit) {
      const text = await call("search", "--query", query, "--max-results", String(limit), "--min-score", "0", "--json");
      const { results } = JSON.parse(text.slice(text.indexOf("{")));
      return [...new Set(results.map(({ path }) => Number(/m(\d+)\.md/.exec(path)?.[1])))];
    },
    close: async () => server.close(),
  };
}

async function answer(request, response, embed) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { input } = JSON.parse(Buffer.concat(pieces).toString());
  const vectors = await embed([input].flat().map((text) => text.trim()));
  const data = vectors.map((vector, index) => ({ object: "embedding", index, embedding: [...vector] }));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ object: "list", model: "shared", data, usage: { prompt_tokens: 0, total_tokens: 0 } }));
}
