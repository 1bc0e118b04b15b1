import type { Found } from "./found.ts";
import { readChatgpt } from "./read-chatgpt.ts";
import { readClaudeCode } from "./read-claude-code.ts";
import { readClaude } from "./read-claude.ts";
import { readMem0 } from "./read-mem0.ts";
import { readNanobot } from "./read-nanobot.ts";
import { readOpenclaw } from "./read-openclaw.ts";

/** Each kind of folder or export that can be read. */
export const READERS: Readonly<Record<string, (path: string) => Promise<Found>>> = {
  nanobot: readNanobot,
  autobot: readNanobot,
  openclaw: readOpenclaw,
  "claude-code": readClaudeCode,
  chatgpt: readChatgpt,
  claude: readClaude,
  mem0: readMem0,
};
