import { completable } from "@modelcontextprotocol/server";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { MORE_GATHERED, tellingHits } from "../door/telling-hits.ts";
import { OUTSIDE_HIT } from "../change/origin.ts";
import { buildMemoryPrompt } from "../door/memory-prompt.ts";
import { quoteLines } from "../language/lines-in.ts";
import { showName } from "../visible-text.ts";
import { cutToTokens } from "../door/fit-tokens.ts";
import type { McpSetup } from "./mcp-setup.ts";

const PASSAGES = 6;

/** Adds the prompt that loads memory into a conversation. */
export function addLoadMemoryPrompt(server: McpServer, { memory, session, maxTokens }: McpSetup): void {
  server.registerPrompt(
    "load_memory",
    {
      title: "Load memory",
      description: "Puts what is remembered into the conversation, with what is on record about a topic",
      argsSchema: z.object({
        topic: completable(z.string().describe("what the conversation will be about"), async (begun) =>
          (await listHeadings(memory, session)).filter((heading) =>
            heading.toLowerCase().includes(begun.toLowerCase()),
          ),
        ).optional(),
      }),
    },
    async ({ topic }) => {
      const known = await buildMemoryPrompt(memory, session);
      const parts = [known === "" ? "Nothing is remembered yet." : known];
      if (topic?.trim()) {
        const { results } = await memory.search(topic, { key: session, limit: PASSAGES + MORE_GATHERED });
        const found = tellingHits(topic, results)
          .slice(0, PASSAGES)
          .map(({ path, date, text, untrusted }) => {
            const head = [path, date ?? "", untrusted ? `(${OUTSIDE_HIT})` : ""]
              .filter((part) => part !== "")
              .join(" ");
            return `${showName(head)}\n${quoteLines(text)}`;
          });
        parts.push(`## On record about ${JSON.stringify(topic)}`, ...(found.length > 0 ? found : ["Nothing."]));
      }
      parts.push("Use memory_search for anything else from before, and remember what is worth keeping.");
      const { text } = await cutToTokens(parts.join("\n\n"), maxTokens * 2);
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    },
  );
}

/** What memory has sections about. */
async function listHeadings(memory: McpSetup["memory"], session: string): Promise<string[]> {
  const text = await memory.readMemory(session);
  return [...text.matchAll(/^#{2,6}\s+(\S.*)$/gm)].map(([, heading = ""]) => heading.trim());
}
