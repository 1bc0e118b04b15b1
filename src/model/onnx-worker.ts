import { parentPort, workerData } from "node:worker_threads";
import { describeError } from "../errors.ts";
import { OnnxRequest, OnnxStart } from "./onnx-message.ts";
import type { OnnxReply } from "./onnx-message.ts";
import { openOnnxModel } from "./onnx-model.ts";
import type { OnnxModel } from "./onnx-model.ts";
import { createQueue } from "../queue.ts";

const { folder } = OnnxStart.parse(workerData);

const send = (reply: OnnxReply): void => {
  parentPort?.postMessage(reply, []);
};

try {
  const model = await openOnnxModel(folder);
  send({ kind: "opened", id: model.id, dimensions: model.dimensions });
  // One request after the other: the runtime uses all processors for each.
  const requests = createQueue();
  parentPort?.on("message", (message: unknown) => {
    const request = OnnxRequest.parse(message);
    void requests.add(() => answer(model, request));
  });
} catch (error) {
  send({ kind: "failed", reason: describeError(error) });
}

async function answer(model: OnnxModel, { number, texts }: OnnxRequest): Promise<void> {
  try {
    send({ kind: "answered", number, vectors: await model.embed(texts) });
  } catch (error) {
    send({ kind: "refused", number, reason: describeError(error) });
  }
}
