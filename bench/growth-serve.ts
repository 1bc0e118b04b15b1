import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Starts the server that is shipped, waits until it answers, and ends it. */
export async function openServing(workspace: string): Promise<void> {
  const bin = join(import.meta.dirname, "../bin/tidemark.js");
  const server = spawn(process.execPath, [bin, "serve", "--port", "0", "-w", workspace], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: "/nonexistent" },
  });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let told = "";
      const listen = (chunk: Buffer) => {
        told += chunk.toString();
        const [found] = /http:\/\/[\w.:[\]]+/.exec(told) ?? [];
        if (found !== undefined) resolve(found);
      };
      server.stdout.on("data", listen);
      server.stderr.on("data", listen);
      server.once("exit", () => reject(new Error(`serve ended: ${told}`)));
    });
    await (await fetch(address)).text();
  } finally {
    server.removeAllListeners("exit");
    server.kill();
    await once(server, "exit");
  }
}
