import { createServer, connect } from "node:net";
import type { Socket } from "node:net";

/** Something between us and the database that can be slow, or carry nothing at all. */
export interface SlowProxy {
  readonly port: number;
  /** Whatever comes from the database comes so much later. */
  delay(ms: number): void;
  /** Nothing is carried any more, and nobody is told; until it is thawed. New connections are taken, and hang. */
  freeze(): void;
  thaw(): void;
  /** Where it leads from now on; what is open stays where it is. */
  leadTo(port: number): void;
  close(): void;
}

/** Stands before a PostgreSQL on loopback. */
export async function startSlowProxy(firstPort: number): Promise<SlowProxy> {
  let target = firstPort;
  let delayMs = 0;
  let isFrozen = false;
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const carry = (to: Socket, bytes: Buffer): void => {
    const send = (): void => void (to.destroyed || to.write(bytes));
    if (isFrozen) held.push(send);
    else if (delayMs > 0) setTimeout(send, delayMs);
    else send();
  };
  const server = createServer((client) => {
    const database = connect(target, "127.0.0.1");
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("data", (sent) => (isFrozen ? held.push(() => database.write(sent)) : database.write(sent)));
    database.on("data", (answer) => carry(client, answer));
    client.on("close", () => database.end());
    database.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    delay: (ms) => void (delayMs = ms),
    freeze: () => void (isFrozen = true),
    thaw() {
      isFrozen = false;
      for (const send of held.splice(0)) send();
    },
    leadTo: (port) => void (target = port),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
