import { chatgpt } from "./read-chatgpt.ts";
import { claudeCode } from "./read-claude-code.ts";
import { claude } from "./read-claude.ts";
import { cline } from "./read-cline.ts";
import { codex } from "./read-codex.ts";
import { continueDev } from "./read-continue.ts";
import { copilot } from "./read-copilot.ts";
import { geminiCli } from "./read-gemini-cli.ts";
import { mem0 } from "./read-mem0.ts";
import { autobot, nanobot } from "./read-nanobot.ts";
import { openclaw } from "./read-openclaw.ts";
import { opencode } from "./read-opencode.ts";
import { pi } from "./read-pi.ts";
import { qwenCode } from "./read-qwen-code.ts";
import type { Source } from "./source.ts";

/** Everything that can be read; those whose marks are the most their own come first. */
export const SOURCES: readonly Source[] = [
  openclaw,
  codex,
  opencode,
  copilot,
  geminiCli,
  qwenCode,
  cline,
  continueDev,
  pi,
  claudeCode,
  chatgpt,
  claude,
  mem0,
  nanobot,
  autobot,
];
