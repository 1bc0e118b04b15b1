import { z } from "zod";
import { isTimezone } from "./time.ts";

const wholeNumber = z.number({ error: "must be a whole number" }).int({ error: "must be a whole number" });
const natural = wholeNumber.min(0, { error: "must not be negative" });
const positive = wholeNumber.min(1, { error: "must be at least 1" });
const share = z.number().min(0).max(1, { error: "must be between 0 and 1" });

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
      .describe("the chat model, provider/model; TIDEMARK_MODEL is stronger"),
    memoryWindow: natural
      .refine((window) => window !== 1, { error: "must be 0 (off) or at least 2" })
      .optional()
      .describe("how many undigested messages trigger a digest (100; autobot 50); 0 turns it off"),
    profile: z
      .enum(["nanobot", "autobot"])
      .default("nanobot")
      .describe("whose rules decide when to digest and how the model answers"),
    keep: z
      .union([z.literal("half"), positive])
      .default("half")
      .describe("newest messages left alone: half of the window, or a number"),
    contextWindowTokens: positive.default(65_536).describe("how much the model can take in one request"),
    maxTokens: positive.default(8192).describe("how long its answer may be"),
    maxToolIterations: positive.default(40).describe("rounds of tool calls in one turn"),
    memoryBudgetTokens: positive
      .default(4000)
      .describe("how much of each prompt MEMORY.md may take; at most a third of it"),
    timezone: z
      .string()
      .refine(isTimezone, { error: "is not a time zone; use a name such as Europe/Lisbon" })
      .optional()
      .describe("the user's time zone; the system's by default"),
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
    // The system's is put in by whoever may read the environment.
    timezone: defaults.timezone ?? "",
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
    .describe("the API it speaks: chat completions, responses or messages; the usual one for it by default"),
});

const Decay = z
  .strictObject({
    halfLifeDays: natural.default(0).describe("days until the bonus for being recent has halved; 0 turns it off"),
    floor: share.default(0.7).describe("the least share of its score that an old passage keeps"),
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
        .describe("the model that digests; the chat model by default"),
      unproven: z
        .enum(["keep", "hold", "drop"])
        .default("keep")
        .describe("what happens to facts that no message supports"),
      maxLoss: share.default(0.25).describe("the share of facts that a digest may retire before a person is asked"),
      review: z.boolean().default(false).describe("hold every proposal for a person"),
      idleMinutes: natural.default(0).describe("digest what is left after this much silence; 0 turns it off"),
      tidyDays: natural.default(0).describe("tidy MEMORY.md automatically every so many days; 0 turns it off"),
      timeoutSeconds: positive.default(120).describe("how long one call to the model may take"),
    })
    .prefault({}),
  spend: z
    .strictObject({
      tokensPerDay: positive
        .optional()
        .describe("a hard cap, checked before each call; beyond it, digests are made without a model"),
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
      recallTokens: natural
        .default(700)
        .describe("how much may be recalled for each message in a client's hooks; 0 turns it off"),
      idleMinutes: positive.default(60).describe("how long the process behind the hooks stays when idle"),
      wakeMs: natural
        .default(0)
        .describe("how long a message waits for that process to start; with 0 it goes without recall"),
    })
    .prefault({}),
  tools: z
    .strictObject({
      sessionMemory: z
        .strictObject({
          enabled: z.boolean().default(true).describe("a note for each ended session"),
          maxMessages: positive.default(20).describe("how many of its last messages the model sees"),
          minUserMessages: natural.default(3).describe("sessions with fewer messages get no note"),
        })
        .prefault({}),
      memoryFlush: z
        .strictObject({
          enabled: z.boolean().default(true).describe("write to the day's note before the context fills up"),
          thresholdTokens: natural.default(4000).describe("how close to the limit"),
        })
        .prefault({}),
      vectorMemory: z
        .strictObject({
          enabled: z.boolean().default(true).describe("search by meaning as well as by words"),
          embeddingModel: z.string().default("local").describe("local, onnx:<folder>, or provider/model"),
          embeddingApiKey: z.string().optional().describe("a key, or {env:NAME}"),
          embeddingBaseUrl: z.url().optional().describe("an OpenAI-compatible server for embeddings"),
          chunkTokens: positive.default(512).describe("longest passage"),
          chunkOverlap: natural.default(64).describe("how much two pieces of a long passage overlap"),
          syncIntervalSeconds: natural.default(60).describe("how often a long-running process looks for changes"),
          vectorWeight: share.optional().describe("weight of meaning; a measured value by default"),
          textWeight: share.optional().describe("weight of words; a measured value by default"),
          fusion: z.enum(["weighted", "rrf"]).default("weighted").describe("how the two are combined"),
          decay: z.strictObject({ memory: Decay, docs: Decay }).prefault({}),
          sessions: z.boolean().default(true).describe("search conversations, too"),
        })
        .prefault({}),
      exec: z
        .strictObject({
          enabled: z.boolean().default(true).describe("let the agent run read-only commands"),
          allow: z
            .array(z.string())
            .default([
              "awk",
              "basename",
              "cat",
              "comm",
              "cut",
              "date",
              "diff",
              "dirname",
              "du",
              "echo",
              "egrep",
              "false",
              "fgrep",
              "file",
              "find",
              "grep",
              "head",
              "jq",
              "ls",
              "nl",
              "paste",
              "printf",
              "pwd",
              "rev",
              "rg",
              "sed",
              "seq",
              "sort",
              "stat",
              "tac",
              "tail",
              "tr",
              "true",
              "uniq",
              "wc",
              "xargs",
            ])
            .describe(
              "the commands it may use; those of just-bash, such as these, run inside Tidemark and only read. Any other is a real program: the model chooses its arguments, and it may do whatever you may, unless bubblewrap (bwrap) is installed, which gives it a read-only workspace and no network",
            ),
          timeoutSeconds: positive.default(30).describe("how long a command may take"),
        })
        .prefault({}),
    })
    .prefault({}),
  cache: z
    .strictObject({
      folder: z
        .string()
        .default("")
        .describe("where workspaces in a database are cached; TIDEMARK_CACHE, or the user's cache folder, by default"),
      maxFiles: positive.default(1000).describe("workspaces cached at most; those not used lately go first"),
      maxMegabytes: positive.default(4096).describe("what their files may take"),
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
          "tools whose results come from this workspace; what any other tool returns counts as outside content, and so does what is read under docs/",
        ),
    })
    .prefault({}),
  secrets: z
    .strictObject({
      transcripts: z
        .enum(["keep", "mask"])
        .default("keep")
        .describe("whether keys mentioned in a chat are masked in the session, too"),
    })
    .prefault({}),
});
export type Config = z.infer<typeof Config>;
