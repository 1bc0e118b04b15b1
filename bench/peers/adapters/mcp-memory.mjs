import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/** One entity a message, and search_nodes with the question: it looks for the whole question as a piece of a text. */
export const about = "create_entities, search_nodes with the question";

export async function open({ folder }) {
  const server = new URL("node_modules/@modelcontextprotocol/server-memory/dist/index.js", import.meta.url).pathname;
  const client = new Client({ name: "peers", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [server],
      env: { ...process.env, MEMORY_FILE_PATH: `${folder}/memory.jsonl` },
    }),
  );
  return {
    async add(messages) {
      const entities = messages.map(({ text }, number) => ({
        name: `m${number}`,
        entityType: "message",
        observations: [text],
      }));
      for (let first = 0; first < entities.length; first += 500) {
        await client.callTool({ name: "create_entities", arguments: { entities: entities.slice(first, first + 500) } });
      }
    },
    async ask(query, limit) {
      const { content } = await client.callTool({ name: "search_nodes", arguments: { query } });
      const { entities } = JSON.parse(content[0].text);
      return entities.slice(0, limit).map(({ name }) => Number(name.slice(1)));
    },
    close: () => client.close(),
  };
}
