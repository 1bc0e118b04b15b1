import { chatgpt } from "./chatgpt.ts";
import { claudeCode } from "./claude-code.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueDev } from "./continue-dev.ts";
import { copilot } from "./copilot.ts";
import { geminiCli } from "./gemini-cli.ts";
import { mem0 } from "./mem0.ts";
import { autobot, nanobot } from "./nanobot.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
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
