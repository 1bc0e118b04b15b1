import { createServer, connect } from "node:net";
import type { Socket } from "node:net";

/** Something between us and the database that can lose what it carries. */
export interface LossyProxy {
  port: number;
  /** The next commit arrives, but its answer does not; for so long nobody can connect. */
  loseNextCommit(awayMs: number): void;
  /** How many answers were lost. */
  lost(): number;
  close(): void;
}

/** Stands before a PostgreSQL on loopback. */
export async function startLossyProxy(port: number): Promise<LossyProxy> {
  let awayMs: number | undefined;
  let awayUntil = 0;
  let lost = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (performance.now() < awayUntil) {
      client.destroy();
      return;
    }
    const database = connect(port, "127.0.0.1");
    let isDeaf = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("data", (sent) => {
      if (awayMs !== undefined && sent.includes("COMMIT")) {
        awayUntil = performance.now() + awayMs;
        awayMs = undefined;
        isDeaf = true;
        lost++;
      }
      database.write(sent);
    });
    database.on("data", (answer) => {
      if (!isDeaf) client.write(answer);
      else {
        client.destroy();
        database.end();
      }
    });
    client.on("close", () => isDeaf || database.end());
    database.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    loseNextCommit: (ms) => void (awayMs = ms),
    lost: () => lost,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
