import { parseIfJson } from "../../parse-if-json.ts";
import { z } from "zod";

const JsonObject = z.record(z.string(), z.unknown());

/** The arguments of a call as an object; text that is no object goes under the name of its only argument, `input`. */
export function readArguments(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  return JsonObject.safeParse(parseIfJson(text)).data ?? { input: text };
}

/** The text that was given to a tool that takes any text, out of the arguments of a tool that takes JSON. */
export function customInput(text: string): string {
  const { input } = readArguments(text);
  return typeof input === "string" ? input : text;
}
