import { z } from "zod";
import { openTokenizer } from "../model/tokens.ts";
import { failureResponse } from "./error-response.ts";
import { readJson } from "./read-json.ts";
import { WIRES } from "./wire/wires.ts";

// What a picture takes at most on this wire, once it is scaled; a page of a document takes about as much.
const PICTURE_TOKENS = 1600;
const Encoded = z.looseObject({ type: z.literal("base64"), data: z.string() });

/** Answers how many tokens a request would take: an estimate, as the tokenizer of the model behind us is not known. */
export async function countTokens(request: Request): Promise<Response> {
  const body = await readJson(request);
  try {
    WIRES.messages.readRequest(body);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    const message = `${issue?.path.join(".") || "The body"}: ${issue?.message ?? "is not valid"}`;
    return failureResponse(WIRES.messages, { status: 400, message, code: "invalid_request" });
  }
  let pictures = 0;
  const text = JSON.stringify(body, (_, value: unknown) => {
    if (!Encoded.safeParse(value).success) return value;
    pictures += 1;
    return {};
  });
  const count = await openTokenizer();
  return Response.json({ input_tokens: count(text) + pictures * PICTURE_TOKENS });
}
