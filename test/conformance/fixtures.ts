import { setTimeout as sleep } from "node:timers/promises";
import { completable, fromJsonSchema, ResourceTemplate } from "@modelcontextprotocol/server";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

/** What the conformance suite of the protocol asks for: tools, resources and prompts that no memory has. */
export function addFixtures(server: McpServer): void {
  addContentTools(server);
  addAskingTools(server);
  addResources(server);
  addPrompts(server);
}

function addContentTools(server: McpServer): void {
  const results = {
    test_simple_text: [text("This is a simple text response for testing.")],
    test_image_content: [image],
    test_audio_content: [{ type: "audio" as const, data: SOUND, mimeType: "audio/wav" }],
    test_embedded_resource: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
    test_multiple_content_types: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  };
  for (const [name, content] of Object.entries(results)) {
    server.registerTool(name, { description: "returns what the suite expects" }, async () => ({ content }));
  }
  const address = { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } };
  const inputSchema = fromJsonSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  });
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "has a schema of 2020-12", inputSchema },
    async () => ({
      content: [text("Read.")],
    }),
  );
  server.registerTool("test_error_handling", { description: "fails" }, async () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool("test_tool_with_logging", { description: "logs" }, async ({ mcpReq }) => {
    await mcpReq.log("info", "Tool execution started");
    await sleep(50);
    await mcpReq.log("info", "Tool processing data");
    await sleep(50);
    await mcpReq.log("info", "Tool execution completed");
    return { content: [text("Logged three times")] };
  });
  server.registerTool("test_tool_with_progress", { description: "tells how far it is" }, async ({ mcpReq }) => {
    const { _meta: meta } = mcpReq;
    const progressToken = meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      }
      await sleep(50);
    }
    return { content: [text("Done")] };
  });
}

const CHOICES = ["option1", "option2", "option3"];
const TITLED = [
  { const: "value1", title: "First Option" },
  { const: "value2", title: "Second Option" },
  { const: "value3", title: "Third Option" },
];

function addAskingTools(server: McpServer): void {
  server.registerTool(
    "test_sampling",
    { description: "asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: "user" as const, content: text(prompt) }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      const said = !Array.isArray(content) && content.type === "text" ? content.text : JSON.stringify(content);
      return { content: [text(`LLM response: ${said}`)] };
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "asks the user", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const properties = {
        username: { type: "string" as const, description: "User's response" },
        email: { type: "string" as const, description: "User's email address" },
      };
      const requestedSchema = { type: "object" as const, properties, required: ["username", "email"] };
      const { action, content } = await mcpReq.elicitInput({ mode: "form", message, requestedSchema });
      return { content: [text(`User response: action=${action}, content=${JSON.stringify(content)}`)] };
    },
  );
  const forms = {
    test_elicitation_sep1034_defaults: {
      name: { type: "string" as const, default: "John Doe" },
      age: { type: "integer" as const, default: 30 },
      score: { type: "number" as const, default: 95.5 },
      status: { type: "string" as const, enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean" as const, default: true },
    },
    test_elicitation_sep1330_enums: {
      untitledSingle: { type: "string" as const, enum: CHOICES },
      titledSingle: { type: "string" as const, oneOf: TITLED },
      legacyEnum: {
        type: "string" as const,
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array" as const, items: { type: "string" as const, enum: CHOICES } },
      titledMulti: { type: "array" as const, items: { anyOf: TITLED } },
    },
  };
  for (const [name, properties] of Object.entries(forms)) {
    server.registerTool(name, { description: "asks with a form" }, async ({ mcpReq }) => {
      const requestedSchema = { type: "object" as const, properties, required: [] };
      const { action, content } = await mcpReq.elicitInput({
        mode: "form",
        message: "Please fill in",
        requestedSchema,
      });
      return { content: [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)] };
    });
  }
}

function addResources(server: McpServer): void {
  server.registerResource("static-text", "test://static-text", { mimeType: "text/plain" }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: PIXEL }],
  }));
  server.registerResource("watched", "test://watched-resource", { mimeType: "text/plain" }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "Watched." }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { mimeType: "application/json" }, async ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
}

function addPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: "user" as const, content });
  server.registerPrompt("test_simple_prompt", { description: "simple" }, async () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }));
  const two = z.object({
    arg1: completable(z.string(), (begun) => ["paris", "park", "party"].filter((word) => word.startsWith(begun))),
    arg2: z.string(),
  });
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "two arguments", argsSchema: two },
    async ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  const one = z.object({ resourceUri: z.string() });
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "a resource", argsSchema: one },
    async ({ resourceUri }) => ({
      messages: [
        user(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
        user(text("Please process the embedded resource above.")),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "a picture" }, async () => ({
    messages: [user(image), user(text("Please analyze the image above."))],
  }));
}
