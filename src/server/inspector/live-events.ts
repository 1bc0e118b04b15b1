import type { Documents, Topic } from "../../store/documents.ts";

/** The stream of what changes, for any number of pages. */
export interface LiveEvents {
  /** A stream of server-sent events, until the page leaves or the server stops. */
  stream(signal: AbortSignal): Response;
  close(): void;
}

// Proxies close what is silent for long.
const HEARTBEAT_MS = 15_000;

/** Watches the workspace while someone listens; each event names what may have changed. */
export function createLiveEvents(documents: Documents): LiveEvents {
  const listeners = new Set<(text: string) => void>();
  const closers = new Set<() => void>();
  let stop: (() => void) | undefined;
  const tell = (topics: readonly Topic[]): void => {
    for (const send of listeners) send(`event: change\ndata: ${JSON.stringify(topics)}\n\n`);
  };
  return {
    stream(signal) {
      const encoder = new TextEncoder();
      let leave: (() => void) | undefined;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const send = (text: string): void => controller.enqueue(encoder.encode(text));
          const heartbeat = setInterval(() => send(":\n\n"), HEARTBEAT_MS).unref();
          leave = () => {
            if (!listeners.delete(send)) return;
            closers.delete(end);
            clearInterval(heartbeat);
            if (listeners.size > 0) return;
            stop?.();
            stop = undefined;
          };
          const end = (): void => {
            leave?.();
            controller.close();
          };
          listeners.add(send);
          closers.add(end);
          signal.addEventListener("abort", () => leave?.());
          stop ??= documents.watch(tell);
          send("retry: 1000\nevent: hello\ndata: []\n\n");
        },
        cancel: () => leave?.(),
      });
      return new Response(body, {
        headers: {
          "content-type": "text/event-stream",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "x-accel-buffering": "no",
        },
      });
    },
    close() {
      for (const end of closers) end();
    },
  };
}
