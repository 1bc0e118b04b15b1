import { mostTokens, openTokenizer } from "../model/tokens.ts";
import type { StoredMessage } from "../session/message.ts";
import { toSent } from "../session/replay.ts";
import type { Workspace } from "../workspace.ts";

/** Tokens of a session's next prompt, never below what the provider counted; below `enough` a free bound will do. */
export async function estimatePrompt(
  workspace: Workspace,
  session: string,
  waiting: readonly StoredMessage[],
  enough: number,
): Promise<number> {
  const fixedTokens = await workspace.fixedTokens(session);
  const lines = waiting.map((message) => JSON.stringify(toSent(message)));
  const most = lines.reduce((sum, line) => sum + mostTokens(line), fixedTokens);
  if (most < enough) return Math.max(most, workspace.reportedTokens(session));
  const count = await openTokenizer();
  // Four for each message's frame, as providers count it.
  const estimate = lines.reduce((sum, line) => sum + count(line) + 4, fixedTokens);
  return Math.max(estimate, workspace.reportedTokens(session));
}
