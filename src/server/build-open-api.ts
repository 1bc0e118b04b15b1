import { z } from "zod";
import type { Operation } from "./api.ts";

const ERROR = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
    },
  },
};

/** The OpenAPI document of everything that is served. */
export function buildOpenApi(version: string, operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {
    "/v1/chat/completions": {
      post: {
        summary: "Chat completions in OpenAI's format, with memory; the fields are passed on to the model as they come",
        parameters: [
          header("x-tidemark-session", "the session; or else `user`, or else the first message's hash"),
          header("x-tidemark-record", "off: nothing from this request is stored"),
        ],
        requestBody: json({ type: "object", required: ["messages"], additionalProperties: true }),
        responses: responses(),
      },
    },
    "/v1/models": { get: { summary: "The models that can be asked for", responses: responses() } },
  };
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method] = describe(operation);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Tidemark", version, description: "The memory of an AI agent, over a folder of plain files." },
    paths,
    components: {
      schemas: { Error: ERROR },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    security: [{}, { token: [] }],
  };
}

function describe({ path, summary, query, body, result }: Operation): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: !z.safeParse(schema, undefined).success,
    schema: schemaOf(schema),
  }));
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body === undefined ? {} : { requestBody: json(schemaOf(body)) }),
    responses: responses(result && schemaOf(result)),
  };
}

function schemaOf(schema: z.core.$ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

function header(name: string, description: string): object {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}

function json(schema: object): object {
  return { required: true, content: { "application/json": { schema } } };
}

function responses(schema: object = { type: "object" }): object {
  return {
    "200": { description: "Done", content: { "application/json": { schema } } },
    default: {
      description: "Failed",
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    },
  };
}
