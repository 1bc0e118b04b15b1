import { createAdaptorServer } from "@hono/node-server";
import { MemoryError } from "../errors.ts";
import { isLoopback } from "./guard.ts";

/** A server that listens. */
export interface Listening {
  url: string;
  /** Takes no more requests, lets those under way finish for a while, and stops. */
  close(patienceMs?: number): Promise<void>;
}

/** Where to listen. */
export interface ListenOptions {
  host: string;
  port: number;
  token?: string | undefined;
}

/** Serves an app; anywhere but on the loopback only with a token. */
export async function listen(
  app: { fetch: (request: Request) => Response | Promise<Response> },
  { host, port, token }: ListenOptions,
): Promise<Listening> {
  if (!isLoopback(host) && !token) {
    throw new MemoryError(
      "CONFIG_INVALID",
      `Listening on ${host}, which others can reach, needs a token: --token, or TIDEMARK_TOKEN`,
    );
  }
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`,
    async close(patienceMs = 10_000) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Connections that are kept open go as soon as what is under way on them is answered.
      const sweep = setInterval(() => "closeIdleConnections" in server && server.closeIdleConnections(), 20);
      const late = setTimeout(() => "closeAllConnections" in server && server.closeAllConnections(), patienceMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(late);
    },
  };
}
