import { z } from "zod";

const Completion = z.looseObject({
  choices: z.array(
    z.looseObject({ message: z.looseObject({ tool_calls: z.array(z.unknown()).nullish() }).optional() }),
  ),
});
const Call = z.looseObject({ function: z.looseObject({ arguments: z.unknown().optional() }) });

const WRONG_ADDRESS = "is the provider's baseUrl right? It usually ends in /v1";

/**
 * A fetch that mends what weak servers get wrong before the strict client sees it: tool arguments sent as JSON values
 * instead of JSON text.
 */
export const lenientFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.headers.get("content-type")?.includes("text/html"))
    throw new Error(`${response.url} answered with a web page (HTTP ${response.status}); ${WRONG_ADDRESS}`);
  if (!response.ok || !response.headers.get("content-type")?.includes("application/json")) return response;
  const text = await response.text();
  const headers = new Headers(response.headers);
  // The body is decoded by now.
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  return new Response(mendCompletion(text), { status: response.status, statusText: response.statusText, headers });
};

function mendCompletion(text: string): string {
  let completion: z.infer<typeof Completion> | undefined;
  try {
    completion = Completion.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
  if (!completion) return text;
  for (const { message } of completion.choices) {
    if (message?.tool_calls) message.tool_calls = message.tool_calls.map((call) => mendCall(call));
  }
  return JSON.stringify(completion);
}

function mendCall(value: unknown): unknown {
  const call = Call.safeParse(value).data;
  if (!call || typeof call.function.arguments === "string") return value;
  return { ...call, function: { ...call.function, arguments: JSON.stringify(call.function.arguments ?? null) } };
}
