import { z } from "zod";
import { describeError, describeIssue, MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import type { ToolDefinition } from "../model/model.ts";

/** What a tool works with. */
export interface ToolCall {
  memory: Memory;
  /** The session that asks. */
  session: string;
  /** Who asks, for the log. */
  model: string;
  signal: AbortSignal;
  /** The last forgetting before the model was asked whose words these are. */
  heard?: string | undefined;
  /** Told when a tool wrote to long-term memory. */
  noteSaved: () => void;
}

/** Something that the model may call. */
export interface Tool {
  readonly definition: ToolDefinition;
  run(input: string, call: ToolCall): Promise<ToolResult>;
}

/** What goes back to the model: a failure is an answer, too. */
export interface ToolResult {
  text: string;
  isError: boolean;
}

/** Makes a tool out of its schema and what it does. */
export function createTool<Schema extends z.ZodObject>(
  name: string,
  description: string,
  schema: Schema,
  work: (input: z.infer<Schema>, call: ToolCall) => Promise<string>,
): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema);
  return {
    definition: { name, description, parameters },
    async run(input, call) {
      const read = readInput(schema, input);
      if (!read.ok) return { text: `Error: ${read.reason}`, isError: true };
      try {
        return { text: (await work(read.input, call)) || "(nothing)", isError: false };
      } catch (error) {
        // Whatever went wrong, the model can make something of it, and the turn goes on; our own bugs are not hidden.
        if (!(error instanceof MemoryError) && !isSystemError(error)) throw error;
        return { text: `Error: ${describeError(error)}`, isError: true };
      }
    },
  };
}

type Read<T> = { ok: true; input: T } | { ok: false; reason: string };

/** The arguments of a call as a value; a model may write none, or what is not JSON. */
export function parseArguments(input: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: JSON.parse(input.trim() === "" ? "{}" : input) };
  } catch (error) {
    if (error instanceof SyntaxError)
      return { ok: false, reason: `the arguments are not valid JSON: ${error.message}` };
    throw error;
  }
}

function readInput<Schema extends z.ZodObject>(schema: Schema, input: string): Read<z.infer<Schema>> {
  const given = parseArguments(input);
  if (!given.ok) return given;
  const parsed = schema.safeParse(given.value);
  if (parsed.success) return { ok: true, input: parsed.data };
  const issues = parsed.error.issues.map((issue) => describeIssue(issue, "the value"));
  return { ok: false, reason: issues.join("; ") };
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
