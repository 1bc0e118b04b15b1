import * as z from "zod";

const Vector = z.custom<Float32Array>((value) => value instanceof Float32Array);

/** What the thread of an ONNX embedder is asked. */
export const OnnxRequest = z.object({ number: z.int(), texts: z.array(z.string()) });
export type OnnxRequest = z.infer<typeof OnnxRequest>;

/** What it says: once whether the model could be opened, then one answer for each request. */
export const OnnxReply = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("opened"), id: z.string(), dimensions: z.int().positive() }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
  z.object({ kind: z.literal("answered"), number: z.int(), vectors: z.array(Vector) }),
  z.object({ kind: z.literal("refused"), number: z.int(), reason: z.string() }),
]);
export type OnnxReply = z.infer<typeof OnnxReply>;

/** What the thread is started with. */
export const OnnxStart = z.object({ folder: z.string() });
