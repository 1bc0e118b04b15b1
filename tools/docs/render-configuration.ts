import { z } from "zod";
import { Config } from "../../src/config-schema.ts";
import { unwrapSchema } from "../../src/config.ts";

/** docs/configuration.md, from the schema. */
export function renderConfiguration(): string {
  const defaults = Config.parse({});
  const rows = [...walk(Config, defaults, [])];
  return `# Configuration

Made from the schema by \`npm run docs\`; do not edit it here.

A workspace's settings are in \`config.json\` (comments and trailing commas are fine) or \`config.yaml\`. Names may be written
in camelCase or snake_case. \`tidemark config\` prints every setting with its value and where it comes from; \`tidemark config
set KEY VALUE\`, \`get\`, \`unset\` and \`edit\` change the file and keep its comments. An unknown name is an error that suggests
the right one.

| setting | default | what it does |
|---|---|---|
${rows.map(({ key, value, meaning }) => `| \`${key}\` | ${renderValue(key, value)} | ${meaning.replaceAll("|", "\\|")} |`).join("\n")}

## Keys

A provider's key comes from \`providers.NAME.apiKey\`, best written as \`{env:VARIABLE}\`, else from its usual variable:
\`ANTHROPIC_API_KEY\`, \`OPENAI_API_KEY\`, \`GOOGLE_GENERATIVE_AI_API_KEY\` (or \`GEMINI_API_KEY\`, \`GOOGLE_API_KEY\`),
\`OPENROUTER_API_KEY\`. Keys are never logged and never stored in memory.

## Environment

| variable | what it does |
|---|---|
| \`TIDEMARK_WORKSPACE\` | the workspace, unless \`-w\` names one; \`~/.tidemark/workspace\` when absent |
| \`TIDEMARK_STORE\` | where the workspace lies instead of in a folder: \`postgres://…\`, unless \`--store\` names another; then \`-w\` is its name there ([PostgreSQL](postgres.md)) |
| \`TIDEMARK_CACHE\` | the folder in which workspaces of a database are cached on this machine, unless \`--cache\` names another; \`$XDG_CACHE_HOME/tidemark\` or \`~/.cache/tidemark\` when absent |
| \`TIDEMARK_MODEL\` | the chat model; stronger than the file, weaker than \`tidemark chat --model\` |
| \`TIDEMARK_PAGER\`, \`PAGER\` | the pager for long output on a terminal; empty for none |
| \`NO_COLOR\` | no colours |
| \`TIDEMARK_DEBUG\` | \`1\` prints where an error comes from |
`;
}

function* walk(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[],
): Generator<{ key: string; value: unknown; meaning: string }> {
  const inner = unwrapSchema(schema);
  const fields = new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  if (inner instanceof z.ZodObject) {
    for (const [name, each] of Object.entries(inner.shape)) yield* walk(each, fields.get(name), [...path, name]);
    return;
  }
  if (inner instanceof z.ZodRecord && unwrapSchema(inner.valueType) instanceof z.ZodObject) {
    yield* walk(inner.valueType, undefined, [...path, "NAME"]);
    return;
  }
  yield { key: path.join("."), value, meaning: z.globalRegistry.get(schema)?.description ?? "" };
}

function renderValue(key: string, value: unknown): string {
  // Another machine has another one.
  if (key === "agents.defaults.timezone") return "the system's";
  if (value === undefined) return "–";
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
