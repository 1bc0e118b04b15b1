import { MEMORY_FILE } from "../files/memory-files.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Run, SourcedFact } from "../state/state.ts";
import { formatMinute, formatTimestamp, parseTimestamp } from "../time.ts";
import { noteOutsideEdit } from "./apply.ts";
import type { Decision } from "./apply.ts";
import type { Proposal } from "./ask.ts";
import { traceFact } from "./evidence.ts";
import { losesTooMuch, planMemory } from "./plan.ts";
import type { Plan } from "./plan.ts";
import type { World } from "./world.ts";

type Proposed = Extract<Proposal, { kind: "proposed" }>;
type RunFrame = Pick<Run, "id" | "scope" | "session" | "from" | "to" | "cause" | "startedAt">;

/** The model proposed, the code decides: what of the proposal is applied, held for a person, or left out. */
export async function decide(
  world: World,
  files: MemoryFiles,
  frame: RunFrame,
  material: { base: string; proposal: Proposed; messages: readonly StoredMessage[] },
): Promise<Decision> {
  const { base, proposal, messages } = material;
  const { answer } = proposal;
  const current = await files.read(MEMORY_FILE);
  await noteOutsideEdit(world, files, current);
  const { unproven, maxLoss, review } = world.config.consolidation;
  const plan = planMemory(base, world.clean(answer.memory_update), current, answer.removed, (fact, isShrunken) => {
    // A proposal that forgot most of what it was shown is not trusted for the rest, but for what the talk bears out.
    if (!isShrunken && unproven !== "drop") return true;
    return traceFact(fact.text, answer.evidence, messages, frame.session).proof !== "none";
  });
  const facts = [...plan.added, ...plan.reworded.map(({ after }) => after)].map((text) =>
    traceFact(text, answer.evidence, messages, frame.session),
  );
  const held = holdReason(plan, facts, base, { unproven, maxLoss, review });
  const run: Run = {
    ...frame,
    model: proposal.model,
    outcome: held === undefined ? "consolidated" : "held",
    reason: held ?? null,
    finishedAt: formatTimestamp(world.now(), world.timezone),
    usage: proposal.usage,
    counts:
      held === undefined
        ? countsOf(plan)
        : { kept: plan.kept + plan.retired.length, added: 0, reworded: 0, retired: 0 },
  };
  const entry = world.clean(diaryEntry(answer.history_entry, messages, world));
  if (held !== undefined) {
    const proposal = { base, answer, session: frame.session, from: frame.from, to: frame.to };
    return { run, entry, overflow: undefined, memory: undefined, facts: [], retired: [], held: proposal };
  }
  return {
    run,
    entry,
    overflow: undefined,
    memory: plan.text === current ? undefined : { base, before: current, after: plan.text },
    facts,
    retired: [
      ...plan.retired.map(({ fact, reason }) => ({ text: fact, reason, replacedBy: null })),
      ...plan.reworded.map(({ before, after }) => ({ text: before, reason: "reworded", replacedBy: after })),
    ],
  };
}

function holdReason(
  plan: Plan,
  facts: readonly SourcedFact[],
  base: string,
  { unproven, maxLoss, review }: { unproven: string; maxLoss: number; review: boolean },
): string | undefined {
  if (losesTooMuch(plan, base, maxLoss))
    return `it would retire ${plan.retired.length} facts, more than ${maxLoss * 100} % of them`;
  const open = facts.filter(({ proof }) => proof === "none");
  if (unproven === "hold" && open.length > 0) return `${open.length} of its facts are not borne out by any message`;
  const isChange = plan.added.length + plan.reworded.length + plan.retired.length > 0;
  return review && isChange ? "every change waits for review" : undefined;
}

function countsOf(plan: Plan): Run["counts"] {
  return { kept: plan.kept, added: plan.added.length, reworded: plan.reworded.length, retired: plan.retired.length };
}

/** One entry: begins with a time, and has no blank line inside, which would make two of it. */
function diaryEntry(text: string, messages: readonly StoredMessage[], world: World): string {
  const entry = text.trim().replaceAll(/\n\s*\n+/g, "\n");
  if (/^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/.test(entry)) return entry;
  const last = messages.findLast(({ timestamp }) => parseTimestamp(timestamp, world.timezone) !== undefined);
  const at = parseTimestamp(last?.timestamp, world.timezone) ?? world.now();
  return `[${formatMinute(at, world.timezone)}] ${entry}`;
}
