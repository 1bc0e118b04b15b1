import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { withoutNulls } from "../door/verb.ts";

/**
 * What a tool takes, as every client can send and read it: null stands for an argument that is left out, and the schema
 * does not name its dialect, which some clients refuse.
 */
export function toolInput<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const standard = toolOutput(schema)["~standard"];
  return { "~standard": { ...standard, validate: (value: unknown) => standard.validate(withoutNulls(value)) } };
}

/** What a tool gives, as every client can read it. */
export function toolOutput<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const { jsonSchema, ...standard } = schema["~standard"];
  return {
    "~standard": {
      ...standard,
      jsonSchema: {
        input: (options) => withoutDialect(jsonSchema.input(options)),
        output: (options) => withoutDialect(jsonSchema.output(options)),
      },
    },
  };
}

function withoutDialect(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "$schema"));
}
