import { z } from "zod";
import { isTimezone } from "./time.ts";

const wholeNumber = z.number({ error: "must be a whole number" }).int({ error: "must be a whole number" });
const natural = wholeNumber.min(0, { error: "must not be negative" });
const positive = wholeNumber.min(1, { error: "must be at least 1" });
const share = z.number().min(0).max(1, { error: "must lie between 0 and 1" });

/** Left free in every request, for what the estimate misses. */
const RESERVED_TOKENS = 1024;

/** Profile autobot with window 0 keeps no memory: it sends the newest messages and forgets the rest. */
export function isAmnesiac({ profile, memoryWindow }: { profile: string; memoryWindow: number }): boolean {
  return profile === "autobot" && memoryWindow === 0;
}

/** What a request may hold besides the answer. */
export function promptBudget(limits: { contextWindowTokens: number; maxTokens: number }): number {
  return limits.contextWindowTokens - limits.maxTokens - RESERVED_TOKENS;
}

const Defaults = z
  .strictObject({
    model: z
      .string()
      .regex(/^[^/\s]+\/\S+$/, { error: "must be named provider/model, such as openai/gpt-5" })
      .optional()
      .describe("the chat model, provider/model; TIDEMARK_MODEL when absent"),
    memoryWindow: natural
      .refine((window) => window !== 1, { error: "must be 0 (off) or at least 2" })
      .optional()
      .describe("unconsolidated messages that trigger a consolidation (100; autobot 50); 0 turns it off"),
    profile: z
      .enum(["nanobot", "autobot"])
      .default("nanobot")
      .describe("whose rules decide when to digest and how the model answers"),
    keep: z
      .union([z.literal("half"), positive])
      .default("half")
      .describe("newest messages left alone: half of the window, or a number"),
    contextWindowTokens: positive.default(65_536).describe("what the model can take in one request"),
    maxTokens: positive.default(8192).describe("what it may answer"),
    maxToolIterations: positive.default(40).describe("rounds of tool calls in one turn"),
    memoryBudgetTokens: positive
      .default(4000)
      .describe("what MEMORY.md may take of each prompt; at most a third of it"),
    timezone: z
      .string()
      .refine(isTimezone, { error: "is not a time zone; use a name such as Europe/Lisbon" })
      .optional()
      .describe("the user's time zone; the system's when absent"),
    autoRecall: z.boolean().default(false).describe("adds the best passages to each message"),
  })

  .refine((limits) => promptBudget(limits) > 0, {
    path: ["contextWindowTokens"],
    error: `must exceed maxTokens by more than ${RESERVED_TOKENS}, or nothing can be sent`,
  })
  .transform((defaults) => ({
    ...defaults,
    // More than a third of a small window would leave no room for the talk.
    memoryBudgetTokens: Math.min(defaults.memoryBudgetTokens, Math.max(1, Math.floor(promptBudget(defaults) / 3))),
    memoryWindow: defaults.memoryWindow ?? (defaults.profile === "autobot" ? 50 : 100),
    timezone: defaults.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  }))
  .prefault({});

const Provider = z.strictObject({
  baseUrl: z
    .url({ error: "must be a URL such as http://127.0.0.1:11434/v1" })
    .optional()
    .describe("an OpenAI-compatible server"),
  apiKey: z.string().optional().describe("a key, or {env:NAME}"),
  headers: z.record(z.string(), z.string()).optional().describe("sent with each request"),
  wire: z
    .enum(["chat", "responses", "messages"])
    .optional()
    .describe("the API that it speaks: chat completions, responses or messages; what is usual for it when absent"),
});

const Decay = z
  .strictObject({
    halfLifeDays: natural.default(0).describe("days until the bonus for being new has halved; 0 is off"),
    floor: share.default(0.7).describe("what an old passage keeps of its score at least"),
  })
  .prefault({});

/** Everything that can be set, with its default and what it means. */
export const Config = z.strictObject({
  agents: z.strictObject({ defaults: Defaults }).prefault({}),
  providers: z.record(z.string(), Provider).default({}).describe("model servers by name"),
  consolidation: z
    .strictObject({
      model: z
        .string()
        .regex(/^[^/\s]+\/\S+$/, { error: "must be named provider/model" })
        .optional()
        .describe("the model that digests; the chat model when absent"),
      unproven: z
        .enum(["keep", "hold", "drop"])
        .default("keep")
        .describe("what becomes of facts that no message proves"),
      maxLoss: share.default(0.25).describe("the share of facts that a run may retire before a person is asked"),
      review: z.boolean().default(false).describe("hold every proposal for a person"),
      idleMinutes: natural.default(0).describe("digest the tail after this long a silence; 0 is off"),
      tidyDays: natural.default(0).describe("put MEMORY.md in order by itself every so many days; 0 is off"),
      timeoutSeconds: positive.default(120).describe("how long one call to the model may take"),
    })
    .prefault({}),
  spend: z
    .strictObject({
      tokensPerDay: positive
        .optional()
        .describe("a hard cap, checked before each call; above it the digest needs no model"),
      prices: z
        .record(
          z.string(),
          z.strictObject({ input: z.number().min(0), output: z.number().min(0), cached: z.number().min(0).optional() }),
        )
        .default({})
        .describe("money per million tokens, by provider/model"),
    })
    .prefault({}),
  history: z
    .strictObject({ enabled: z.boolean().default(true).describe("write HISTORY.md; dated notes when off") })
    .prefault({}),
  memory: z
    .strictObject({
      scope: z.enum(["workspace", "user", "session"]).default("workspace").describe("who shares memory"),
    })
    .prefault({}),
  hooks: z
    .strictObject({
      recallTokens: natural.default(700).describe("what may be recalled with a message in a client's hooks; 0 is off"),
      idleMinutes: positive.default(15).describe("how long the process behind the hooks stays when nobody asks"),
    })
    .prefault({}),
  tools: z
    .strictObject({
      sessionMemory: z
        .strictObject({
          enabled: z.boolean().default(true).describe("a note for each ended session"),
          maxMessages: positive.default(20).describe("how many of its last messages the model sees"),
          minUserMessages: natural.default(3).describe("fewer than this make no note"),
        })
        .prefault({}),
      memoryFlush: z
        .strictObject({
          enabled: z.boolean().default(true).describe("write to the day's note before the context runs full"),
          thresholdTokens: natural.default(4000).describe("how near to the budget"),
        })
        .prefault({}),
      vectorMemory: z
        .strictObject({
          enabled: z.boolean().default(true).describe("search by meaning as well as by words"),
          embeddingModel: z.string().default("local").describe("local, onnx:<folder>, or provider/model"),
          embeddingApiKey: z.string().optional().describe("a key, or {env:NAME}"),
          embeddingBaseUrl: z.url().optional().describe("an OpenAI-compatible server for embeddings"),
          chunkTokens: positive.default(512).describe("longest passage"),
          chunkOverlap: natural.default(64).describe("what two pieces of a long passage share"),
          syncIntervalSeconds: natural.default(60).describe("how often a long-running process looks for changes"),
          vectorWeight: share.optional().describe("weight of meaning; the measured default when absent"),
          textWeight: share.optional().describe("weight of words; the measured default when absent"),
          fusion: z.enum(["weighted", "rrf"]).default("weighted").describe("how the two are put together"),
          decay: z.strictObject({ memory: Decay, docs: Decay }).prefault({}),
          sessions: z.boolean().default(true).describe("search what was said, too"),
        })
        .prefault({}),
      exec: z
        .strictObject({
          enabled: z.boolean().default(true).describe("let the agent run read-only commands"),
          allow: z
            .array(z.string())
            .default([
              "cat",
              "cut",
              "date",
              "diff",
              "du",
              "echo",
              "egrep",
              "fgrep",
              "file",
              "find",
              "grep",
              "head",
              "ls",
              "nl",
              "pwd",
              "rev",
              "sed",
              "sort",
              "stat",
              "tac",
              "tail",
              "tr",
              "uniq",
              "wc",
            ])
            .describe(
              "the commands that it may use; these defaults run inside Tidemark and only read. Any other name is a real program of this machine: the model chooses its arguments, and it may do whatever you may, unless bubblewrap (bwrap) is installed, which shows it the workspace read-only and no network",
            ),
          timeoutSeconds: positive.default(30).describe("how long a command may take"),
        })
        .prefault({}),
    })
    .prefault({}),
  trust: z
    .strictObject({
      untrustedTools: z
        .array(z.string())
        .default([
          "web_fetch",
          "web_search",
          "fetch",
          "fetch_url",
          "http_request",
          "browse",
          "browser",
          "read_email",
          "search_web",
          "exec curl",
          "exec wget",
        ])
        .describe("tools whose results come from outside, even if they are local; `exec curl` is one command of exec"),
      localTools: z
        .array(z.string())
        .default([
          "read_file",
          "write_file",
          "edit_file",
          "list_dir",
          "exec",
          "memory_search",
          "memory_get",
          "memory_status",
          "vector_search",
          "remember",
          "retire",
          "forget",
          "undo",
          "save_memory",
          "create_session_memory",
          "session_append",
          "session_new",
          "memory",
        ])
        .describe(
          "tools whose results come from this workspace; what any other tool returns is from outside, and so is what is read under docs/",
        ),
    })
    .prefault({}),
  secrets: z
    .strictObject({
      transcripts: z
        .enum(["keep", "mask"])
        .default("keep")
        .describe("whether keys said in a chat are masked in the session too"),
    })
    .prefault({}),
});
export type Config = z.infer<typeof Config>;
