import { parentPort } from "node:worker_threads";
import { describeError, MemoryError } from "../../errors.ts";
import type { PipeReply, PipeStart } from "./pipe-messages.ts";
import { runPipe } from "./run-pipe.ts";

const CHUNK = 8000;

const send = (reply: PipeReply): void => {
  parentPort?.postMessage(reply, []);
};

// Our own other half made it; a schema would take longer to load than most commands take.
parentPort?.on("message", (start: PipeStart) => {
  let waiting = "";
  const flush = (): void => {
    if (waiting !== "") send({ kind: "wrote", text: waiting });
    waiting = "";
  };
  try {
    const { status, isCut, files } = runPipe(start, (text) => {
      waiting += text;
      if (waiting.length > CHUNK) flush();
    });
    flush();
    send({ kind: "done", status, isCut, files });
  } catch (error) {
    const isOurs = error instanceof MemoryError || (error instanceof Error && "code" in error);
    if (!isOurs) throw error;
    send({ kind: "refused", reason: describeError(error) });
  }
});
