import { traced } from "../trace.ts";
import type { Model } from "./model.ts";

/** The same model, with a span for each call where traces are gathered. */
export function traceModel(model: Model): Model {
  const { id } = model;
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": id };
  return {
    id,
    ask: (request) =>
      traced(
        "model",
        attributes,
        () => model.ask(request),
        ({ usage }) => ({
          "gen_ai.usage.input_tokens": usage?.inputTokens,
          "gen_ai.usage.output_tokens": usage?.outputTokens,
        }),
      ),
  };
}
