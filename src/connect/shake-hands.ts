import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Launch } from "./client.ts";

/** What came of starting a server and asking it for its tools. */
export type Handshake = { kind: "answered"; server: string; tools: number } | { kind: "failed"; reason: string };

const Reply = z.looseObject({
  id: z.unknown().optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});
const Greeting = z.looseObject({ serverInfo: z.looseObject({ name: z.string(), version: z.string() }) });
const Tools = z.looseObject({ tools: z.array(z.unknown()) });

const PROTOCOL = "2025-06-18";

/** Starts the server as a client would, greets it and counts its tools. */
export async function shakeHands({ command, args }: Launch, timeoutMs = 30_000): Promise<Handshake> {
  const child = spawn(command, [...args], { stdio: "pipe" });
  const said: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`it exited with ${code ?? "a signal"} ${said.join("").trim()}`.trim())),
    );
    child.stdin.once("error", reject);
    setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} seconds`)), timeoutMs).unref();
  });
  try {
    return await Promise.race([greet(child), ended]);
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
  } finally {
    ended.catch(() => undefined);
    child.stdin.end();
    child.kill();
  }
}

async function greet(child: ChildProcessWithoutNullStreams): Promise<Handshake> {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    send({ id, method, params });
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("it closed its output");
      const reply = Reply.parse(JSON.parse(value));
      if (reply.id !== id) continue;
      if (reply.error) throw new Error(reply.error.message);
      return reply.result;
    }
  };
  const clientInfo = { name: "tidemark-connect", version: "1" };
  const greeting = Greeting.parse(
    await ask(1, "initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo }),
  );
  send({ method: "notifications/initialized" });
  const { tools } = Tools.parse(await ask(2, "tools/list", {}));
  const { name, version } = greeting.serverInfo;
  return { kind: "answered", server: `${name} ${version}`, tools: tools.length };
}
