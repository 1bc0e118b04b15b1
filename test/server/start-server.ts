import { onTestFinished } from "vitest";
import type { Memory } from "../../src/index.ts";
import { createApp } from "../../src/server/create-app.ts";
import type { AppOptions } from "../../src/server/create-app.ts";
import { listen } from "../../src/server/listen.ts";

/** Serves a memory on a free port of the loopback; it stops with the test. */
export async function startServer(memory: Memory, options: Partial<AppOptions> = {}): Promise<string> {
  const app = createApp(memory, { version: "0.0.0", ...options });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await server.close(0);
    await app.finish();
  });
  return server.url;
}
