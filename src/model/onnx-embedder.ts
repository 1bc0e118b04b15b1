import { Worker } from "node:worker_threads";
import { MemoryError, describeError } from "../errors.ts";
import { shippedScript } from "../shipped.ts";
import type { Embedder } from "./embedder.ts";
import { OnnxReply } from "./onnx-message.ts";
import type { OnnxRequest } from "./onnx-message.ts";

interface Waiting {
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
}

// Long jobs go to the thread in pieces, so that a question in between waits for one piece only.
const textsPerRequest = 32;

/** Opens a sentence-transformers export; it runs in a thread of its own, since it is slow. */
export async function openOnnxEmbedder(folder: string): Promise<Embedder> {
  const worker = new Worker(shippedScript("model/onnx-worker"), { workerData: { folder } });
  const waiting = new Map<number, Waiting>();
  const opened = Promise.withResolvers<{ id: string; dimensions: number }>();
  let broken: MemoryError | undefined;
  const fail = (error: MemoryError): void => {
    broken ??= error;
    opened.reject(error);
    for (const request of waiting.values()) {
      request.reject(error);
    }
    waiting.clear();
  };
  worker.on("message", (message: unknown) => {
    const reply = OnnxReply.parse(message);
    if (reply.kind === "opened") {
      opened.resolve(reply);
    } else if (reply.kind === "failed") {
      fail(new MemoryError("EMBEDDER_FAILED", reply.reason));
    } else {
      settle(waiting, reply);
    }
  });
  worker.on("error", (error) => {
    fail(new MemoryError("EMBEDDER_FAILED", `The ONNX embedder broke: ${describeError(error)}`, { cause: error }));
  });
  worker.on("exit", () => fail(new MemoryError("CLOSED", `The ONNX embedder of ${folder} was closed`)));
  const { id, dimensions } = await opened.promise;
  // From here on the thread must not keep a process alive that waits for nothing.
  worker.unref();
  let lastNumber = 0;
  const request = async (texts: readonly string[]): Promise<Float32Array[]> => {
    if (broken !== undefined) {
      throw broken;
    }
    const message: OnnxRequest = { number: ++lastNumber, texts: [...texts] };
    const answer = new Promise<Float32Array[]>((resolve, reject) => waiting.set(message.number, { resolve, reject }));
    worker.ref();
    worker.postMessage(message, []);
    try {
      return await answer;
    } finally {
      if (waiting.size === 0) {
        worker.unref();
      }
    }
  };
  return {
    id,
    dimensions,
    embed: async (texts, options) => {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += textsPerRequest) {
        options?.signal?.throwIfAborted();
        vectors.push(...(await request(texts.slice(start, start + textsPerRequest))));
      }
      return vectors;
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

function settle(waiting: Map<number, Waiting>, reply: Extract<OnnxReply, { number: number }>): void {
  const request = waiting.get(reply.number);
  waiting.delete(reply.number);
  if (reply.kind === "refused") {
    request?.reject(new MemoryError("EMBEDDER_FAILED", reply.reason));
    return;
  }
  request?.resolve(reply.vectors);
}
