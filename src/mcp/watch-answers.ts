import type { Transport } from "@modelcontextprotocol/server";

// Open for as long as the connection is.
const STAYS_OPEN = "subscriptions/listen";

/** Watches what is asked over a transport; the function that comes back waits until all of it is answered, or for `waitMs`. */
export function watchAnswers(wire: Transport): (waitMs: number) => Promise<void> {
  const asked = new Set<string | number>();
  const waiting = new Set<() => void>();
  const settle = (id: unknown): void => {
    if (typeof id === "string" || typeof id === "number") asked.delete(id);
    if (asked.size === 0) for (const tell of waiting) tell();
  };
  const { onmessage, onclose } = wire;
  const send = wire.send.bind(wire);
  const watched: Pick<Transport, "onmessage" | "onclose" | "send"> = {
    onmessage(message, extra) {
      if ("method" in message && "id" in message && message.method !== STAYS_OPEN) asked.add(message.id);
      if ("method" in message && message.method === "notifications/cancelled") settle(message.params?.["requestId"]);
      onmessage?.(message, extra);
    },
    async send(message, options) {
      try {
        await send(message, options);
      } finally {
        if (!("method" in message)) settle(message.id);
      }
    },
    onclose() {
      asked.clear();
      settle(undefined);
      onclose?.();
    },
  };
  Object.assign(wire, watched);
  return (waitMs) =>
    new Promise((resolve) => {
      if (asked.size === 0) return resolve();
      const tell = (): void => {
        clearTimeout(timer);
        waiting.delete(tell);
        resolve();
      };
      const timer = setTimeout(tell, waitMs);
      waiting.add(tell);
    });
}
