import { parseIfJson } from "../parse-if-json.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { describeIssue, MemoryError, systemCode } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { callerKey } from "./caller-key.ts";

/** Who asks, and what they may. */
export interface Caller {
  /** The session whose memory is theirs; undefined for someone who may see all of it. */
  scope: string | undefined;
  canWrite: boolean;
}

const Grant = z.strictObject({
  scope: z.string().min(1).describe("a session's key, such as telegram:12345; * is all of the workspace"),
  access: z.enum(["read", "write"]).default("read"),
});
const SHORTEST_TOKEN = 16;
const TokenFile = z
  .record(z.string(), Grant)
  .refine((grants) => Object.keys(grants).every(({ length }) => length >= SHORTEST_TOKEN), {
    error: `tokens need at least ${SHORTEST_TOKEN} characters`,
  });
export type TokenFile = z.infer<typeof TokenFile>;

/** Reads who may ask from a file: {"token": {"scope": "telegram:12345", "access": "write"}, …}. */
export async function loadTokens(path: string): Promise<TokenFile> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new MemoryError("CONFIG_INVALID", `Cannot read the tokens at ${path} (${systemCode(error) ?? "failed"})`, {
      cause: error,
    });
  });
  if (process.platform !== "win32" && ((await stat(path)).mode & 0o077) !== 0) {
    throw new MemoryError("CONFIG_INVALID", `Others can read the tokens at ${path}: chmod 600 ${path}`);
  }
  const parsed = TokenFile.safeParse(parseIfJson(text));
  if (parsed.success && Object.keys(parsed.data).length > 0) return parsed.data;
  // The keys are the tokens themselves: what is wrong is told without them.
  const [issue] = parsed.error?.issues ?? [];
  const reason = issue ? describeIssue({ ...issue, path: [] }, "what a token opens") : "there are none in it";
  throw new MemoryError("CONFIG_INVALID", `The tokens at ${path} cannot be used: ${reason}`);
}

/** Tokens of single users need memory that is kept apart: in a shared one everybody reads everything. */
export function checkTokens({ config }: Memory, tokens: TokenFile | undefined): void {
  const isApart = config.memory.scope !== "workspace";
  if (isApart || Object.values(tokens ?? {}).every(({ scope }) => scope === "*")) return;
  throw new MemoryError(
    "CONFIG_INVALID",
    "Tokens with a scope need memory.scope user or session: in a shared memory everyone sees everything",
  );
}

/** Who a request comes from, by its bearer token; undefined for nobody that is known. */
export function findCaller(
  request: Request,
  token: string | undefined,
  tokens: TokenFile | undefined,
): Caller | undefined {
  if (token === undefined && tokens === undefined) return { scope: undefined, canWrite: true };
  const given = digest(callerKey(request)?.key ?? "");
  let caller: Caller | undefined;
  // Every token is compared, and takes one time: how long it took tells nothing.
  if (token !== undefined && timingSafeEqual(given, digest(token))) caller = { scope: undefined, canWrite: true };
  for (const [known, { scope, access }] of Object.entries(tokens ?? {})) {
    if (!timingSafeEqual(given, digest(known))) continue;
    caller = { scope: scope === "*" ? undefined : scope, canWrite: access === "write" };
  }
  return caller;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
