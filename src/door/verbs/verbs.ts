import type { Verb } from "../verb.ts";
import { memoryGet } from "./memory-get.ts";
import { memorySearch, vectorSearch } from "./memory-search.ts";
import { memoryStatus } from "./memory-status.ts";
import { remember, retire } from "./remember.ts";
import { sessionAppend, sessionNew } from "./session-append.ts";
import { undo } from "./undo.ts";

/** What an agent may ask of its own memory, in the order in which it is told. */
export const AGENT_VERBS: readonly Verb[] = [memorySearch, memoryGet, vectorSearch, remember, retire];

/** What other programs may ask of a memory. */
export const CLIENT_VERBS: readonly Verb[] = [
  memorySearch,
  memoryGet,
  remember,
  retire,
  undo,
  memoryStatus,
  sessionAppend,
  sessionNew,
];
