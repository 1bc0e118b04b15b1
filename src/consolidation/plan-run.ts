import type { Basis, Change, MemoryNow, Stretch } from "../change/change.ts";
import { OUTSIDE_MARK } from "../change/origin.ts";
import { SENTENCES } from "../change/statement.ts";
import type { ToolRules } from "../change/origin.ts";
import { createOriginJudge } from "../change/origin-judge.ts";
import type { RememberedOutside } from "../change/origin-judge.ts";
import { planProposal } from "../change/plan-proposal.ts";
import { traceFact } from "../change/trace-fact.ts";
import { maskNew } from "../files/mask-secrets.ts";
import { keyWords } from "../language/similarity.ts";
import type { StoredMessage } from "../session/message.ts";
import { formatMinute, parseTimestamp } from "../time.ts";
import type { Proposal } from "./ask-model.ts";
import { DIGEST, heardMessages } from "./digest.ts";

/** What a run has to go on. */
export interface Material {
  proposal: Extract<Proposal, { kind: "proposed" }>;
  /** What of MEMORY.md was shown. */
  base: string;
  messages: readonly StoredMessage[];
  /** What was said before the stretch; a page that was read then may still speak now. */
  earlier: readonly StoredMessage[];
  stretch: Stretch;
  run: Change["run"];
  cause: string;
  diary: string;
  trust: ToolRules;
  /** What of the proposal's words the outside said before. */
  remembered: RememberedOutside;
  now: Date;
  timezone: string;
}

/** The change that a proposal out of talk comes to, whoever made it: its edits, its diary entry, and the cursor. */
export function planRun(memory: MemoryNow, material: Material): Change {
  const { proposal, base, messages, earlier, stretch, remembered } = material;
  const { answer } = proposal;
  const { session } = stretch;
  const proposed = maskNew(answer.memory_update, base);
  const { edits, isShrunken } = planProposal(base, proposed, memory.text, answer.removed, (text, { path }) =>
    traceFact({ text, path }, answer.evidence, messages, session),
  );
  const heard = proposal.model === DIGEST ? undefined : heardMessages(messages, material.timezone);
  const basis: Basis = { session, messages, earlier, evidence: answer.evidence, heard, remembered, base, isShrunken };
  const { entry, repeatable } = markEntry(diaryEntry(answer.history_entry, material), basis, material.trust);
  return {
    cause: material.cause,
    author: "run",
    by: proposal.model,
    edits,
    entries: [{ file: material.diary, entry }],
    stretch: { ...stretch, repeatable },
    basis,
    isFitted: true,
    held: [],
    run: { ...material.run, usage: proposal.usage },
    answer: proposal.said,
  };
}

/** One entry: begins with a time, and has no blank line inside, which would make two of it. */
function diaryEntry(text: string, { messages, now, timezone }: Material): string {
  const entry = text.trim().replaceAll(/\n\s*\n+/g, "\n");
  if (/^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/.test(entry)) return entry;
  const last = messages.findLast(({ timestamp }) => parseTimestamp(timestamp, timezone) !== undefined);
  const at = parseTimestamp(last?.timestamp, timezone) ?? now;
  return `[${formatMinute(at, timezone)}] ${entry}`;
}

/** An entry is kept whole, with a mark; what a prompt repeats of it is only what the talk itself bears out. */
function markEntry(entry: string, basis: Basis, rules: ToolRules): { entry: string; repeatable: string } {
  const judge = createOriginJudge(basis, rules, []);
  if (judge === undefined) return { entry, repeatable: entry };
  const tools = judge.tools.join(", ") || "a tool";
  const time = /^\[[^\]]+\]\s*/.exec(entry)?.[0] ?? "";
  const sentences = entry.slice(time.length).split(SENTENCES);
  const own = sentences.filter((sentence) => keyWords(sentence).size === 0 || !judge.tellsOutside(sentence));
  if (own.length === sentences.length) return { entry, repeatable: entry };
  const rest = own.join(" ").trim() || `(something that ${tools} brought from outside was talked about)`;
  return { entry: `${entry} ${OUTSIDE_MARK}${tools}]`, repeatable: `${time}${rest}` };
}
