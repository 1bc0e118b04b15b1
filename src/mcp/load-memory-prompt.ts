import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { OUTSIDE_HIT } from "../change/origin.ts";
import { buildMemoryPrompt } from "../door/memory-prompt.ts";
import { cutToTokens } from "./fit-tokens.ts";
import type { McpWorld } from "./mcp-world.ts";

const Arguments = z.object({ topic: z.string().optional().describe("what the conversation will be about") });
const PASSAGES = 6;

/** Adds the prompt that loads memory into a conversation. */
export function addLoadMemoryPrompt(server: McpServer, { memory, session, maxTokens }: McpWorld): void {
  server.registerPrompt(
    "load_memory",
    {
      title: "Load memory",
      description: "Puts what is remembered into the conversation, with what is on record about a topic",
      argsSchema: Arguments,
    },
    async ({ topic }) => {
      const known = await buildMemoryPrompt(memory, session);
      const parts = [known === "" ? "Nothing is remembered yet." : known];
      if (topic?.trim()) {
        const { results } = await memory.search(topic, { key: session, limit: PASSAGES });
        const found = results.map(({ path, date, text, untrusted }) => {
          const head = [path, date ?? "", untrusted ? `(${OUTSIDE_HIT})` : ""].filter((part) => part !== "").join(" ");
          return `${head}\n${text.replaceAll(/^/gm, "> ")}`;
        });
        parts.push(`## On record about ${JSON.stringify(topic)}`, ...(found.length > 0 ? found : ["Nothing."]));
      }
      parts.push("Use memory_search for anything else from before, and remember what is worth keeping.");
      const { text } = await cutToTokens(parts.join("\n\n"), maxTokens * 2);
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    },
  );
}
