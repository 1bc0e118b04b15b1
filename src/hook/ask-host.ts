import { connect } from "node:net";
import type { CalledHook } from "./called-hook.ts";
import type { HostAddress } from "./hooks-folder.ts";

/** What the process that stays is asked: for the words to a call, to look at what waits, or to leave. */
export type HostRequest = { kind: "ask"; call: CalledHook } | { kind: "look" } | { kind: "leave" };

/** Asks the process that stays; its answer, or undefined where nobody is there or it takes too long. */
export function askHost(address: HostAddress, request: HostRequest, waitMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: address.port });
    const chunks: Buffer[] = [];
    const end = (answer: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end(undefined), waitMs);
    socket.on("error", () => end(undefined));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => end(readAnswer(Buffer.concat(chunks).toString("utf8"))));
    socket.end(`${JSON.stringify({ token: address.token, ...request })}\n`);
  });
}

/** An answer is whole or none: one that was cut has no newline at its end. */
function readAnswer(text: string): string | undefined {
  return text.endsWith("\n") ? text.slice(0, -1) : undefined;
}
