import { checkBelief } from "../belief/check-belief.ts";
import { parseFacts } from "../files/facts.ts";
import { maskDeep, maskNew } from "../files/mask-secrets.ts";
import { MEMORY_FILE } from "../files/memory-files.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { containment, keyWords } from "../files/similarity.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Run, SourcedFact } from "../state/state.ts";
import { formatMinute, formatTimestamp, parseTimestamp } from "../time.ts";
import { Answer } from "./answer.ts";
import { noteOutsideEdit } from "./apply.ts";
import type { Decision } from "./apply.ts";
import type { Proposal } from "./ask.ts";
import { fitBudget, movedReason } from "./budget.ts";
import { DIGEST, heardMessages } from "./digest.ts";
import { traceFact } from "./evidence.ts";
import { brokenExpectation, judgeOrigin } from "./judge.ts";
import { itemsOf } from "./plan-items.ts";
import type { Held, PlanItem } from "./plan-items.ts";
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
  material: {
    base: string;
    proposal: Proposed;
    messages: readonly StoredMessage[];
    /** What was said before the stretch; a page that was read then may still speak now. */
    earlier?: readonly StoredMessage[];
  },
): Promise<Decision> {
  const { base, proposal, messages } = material;
  const { answer } = proposal;
  const current = await files.read(MEMORY_FILE);
  await noteOutsideEdit(world, files, current);
  const { unproven, maxLoss, review } = world.config.consolidation;
  const proposed = maskNew(answer.memory_update, base);
  const doubtful: PlanItem[] = [];
  const unsaid =
    proposal.model === DIGEST ? new Map<string, string>() : findUnsaid(base, proposed, material, world.timezone);
  const whole = planMemory(base, proposed, current, keepStanding(answer.removed, unsaid), (fact, isShrunken) => {
    if (unsaid.has(fact.text)) {
      doubtful.push({ kind: "add", fact: fact.text });
      return false;
    }
    if (!isShrunken && unproven !== "drop") return true;
    if (traceFact(fact.text, answer.evidence, messages, frame.session).proof !== "none") return true;
    // A proposal that forgot most of what it was shown is not trusted for what the talk does not bear out: a person is.
    if (unproven !== "drop") doubtful.push({ kind: "add", fact: fact.text });
    return false;
  });
  const trace = (texts: readonly string[]): SourcedFact[] =>
    texts.map((text) => {
      const fact = traceFact(text, answer.evidence, messages, frame.session);
      return fact.quote === null ? fact : { ...fact, quote: world.clean(fact.quote) };
    });
  const { plan, waiting, tools, entry, told } = judgeOrigin(
    whole,
    { proposed, current, entry: world.clean(diaryEntry(answer.history_entry, messages, world)) },
    messages,
    world.config.trust.untrustedTools,
    { earlier: material.earlier ?? [], evidence: answer.evidence },
  );
  const facts = trace([...plan.added, ...plan.reworded.map(({ after }) => after)]);
  const held =
    holdReason(plan, facts, base, { unproven, maxLoss, review }) ??
    (await brokenExpectation(files, current, plan.text));
  const run: Run = {
    ...frame,
    model: proposal.model,
    outcome: held === undefined ? "consolidated" : "held",
    reason: held ?? waitingReason(waiting, tools, doubtful, unsaid) ?? null,
    finishedAt: formatTimestamp(world.now(), world.timezone),
    usage: proposal.usage,
    counts:
      held === undefined
        ? countsOf(plan, facts)
        : { kept: plan.kept + plan.retired.length, added: 0, reworded: 0, retired: 0 },
  };
  const hold = (reason: string, items: PlanItem[]): Held => ({
    base,
    answer: { ...answer, ...Answer.parse(maskDeep(answer)), history_entry: entry, memory_update: proposed },
    session: frame.session,
    from: frame.from,
    to: frame.to,
    reason,
    items,
    facts: trace(items.filter(({ kind }) => kind !== "retire").map(({ fact }) => fact)).map((fact) =>
      waiting.some((item) => item.fact === fact.text) ? { ...fact, origin: "untrusted" as const } : fact,
    ),
  });
  if (held !== undefined) {
    const nothing = { overflow: undefined, memory: undefined, facts: [], retired: [] };
    return { run, entry, told, ...nothing, held: hold(held, itemsOf(whole)) };
  }
  const fresh = new Set(facts.map(({ text }) => text));
  const fitted = await fitBudget(world, files.scope, plan.text, fresh);
  // A fact that finds no room from the start has its source all the same; it was never in to be retired.
  const movedOut = fitted.moved.filter((fact) => !fresh.has(fact));
  if (fitted.note) world.emit({ type: "moved", scope: files.scope, file: fitted.note.file, facts: fitted.moved });
  return {
    run,
    entry,
    told,
    overflow: fitted.note && { file: fitted.note.file, entry: world.clean(fitted.note.entry) },
    memory: fitted.text === current ? undefined : { base, before: current, after: fitted.text },
    facts,
    retired: [
      ...movedOut.map((fact) => ({ text: fact, reason: movedReason(fitted.note?.file ?? ""), replacedBy: null })),
      ...plan.retired.map(({ fact, reason }) => ({ text: fact, reason: world.clean(reason), replacedBy: null })),
      ...plan.reworded.map(({ before, after }) => ({ text: before, reason: "reworded", replacedBy: after })),
    ],
    ...heldPart(waiting, tools, doubtful, unsaid, hold),
  };
}

/** The new facts that the user did not assert, with why: asked, quoted, denied, or contradicted since. */
function findUnsaid(
  base: string,
  proposed: string,
  { proposal, messages }: { proposal: Proposed; messages: readonly StoredMessage[] },
  timezone: string,
): Map<string, string> {
  const known = new Set(parseFacts(base).map(({ text }) => text));
  const heard = heardMessages(messages, timezone);
  const fresh = parseFacts(proposed).filter(({ text }) => !known.has(text));
  return new Map(
    fresh.flatMap(({ text }) => {
      const verdict = checkBelief(text, proposal.answer.evidence, heard);
      return verdict.kind === "held" ? [[text, verdict.reason] as const] : [];
    }),
  );
}

/** An old fact that a held one was to replace stays until a person has decided. */
function keepStanding(removals: Answer["removed"], unsaid: ReadonlyMap<string, string>): Answer["removed"] {
  const held = [...unsaid.keys()].map((fact) => keyWords(fact));
  return removals.filter(({ fact }) => !held.some((words) => containment(keyWords(fact), words, () => 1) >= 0.3));
}

/** What of a run waits for a person while the rest is applied. */
function heldPart(
  waiting: readonly PlanItem[],
  tools: readonly string[],
  doubtful: readonly PlanItem[],
  unsaid: ReadonlyMap<string, string>,
  hold: (reason: string, items: PlanItem[]) => Held,
): { held?: Held } {
  const reason = waitingReason(waiting, tools, doubtful, unsaid);
  return reason === undefined ? {} : { held: hold(reason, [...waiting, ...doubtful]) };
}

function waitingReason(
  waiting: readonly PlanItem[],
  tools: readonly string[],
  doubtful: readonly PlanItem[],
  unsaid: ReadonlyMap<string, string>,
): string | undefined {
  if (waiting.length > 0) return outsideReason(waiting.length, tools);
  if (doubtful.length === 0) return undefined;
  const [first] = unsaid;
  if (first) return `the user did not say that “${first[0]}”: ${first[1]}`;
  return `the proposal left out most of what it was shown, and nothing said bears out ${doubtful.length} of its new facts`;
}

function outsideReason(count: number, tools: readonly string[]): string {
  return `${count} of its changes stand on what ${tools.join(", ")} brought from outside, not on anyone's word`;
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

function countsOf(plan: Plan, facts: readonly SourcedFact[]): Run["counts"] {
  const added = new Set(plan.added);
  const unproven = facts.filter(({ text, proof }) => proof === "none" && added.has(text)).length;
  return {
    kept: plan.kept,
    added: plan.added.length,
    reworded: plan.reworded.length,
    retired: plan.retired.length,
    ...(unproven > 0 ? { unproven } : {}),
  };
}

/** One entry: begins with a time, and has no blank line inside, which would make two of it. */
function diaryEntry(text: string, messages: readonly StoredMessage[], world: World): string {
  const entry = text.trim().replaceAll(/\n\s*\n+/g, "\n");
  if (/^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/.test(entry)) return entry;
  const last = messages.findLast(({ timestamp }) => parseTimestamp(timestamp, world.timezone) !== undefined);
  const at = parseTimestamp(last?.timestamp, world.timezone) ?? world.now();
  return `[${formatMinute(at, world.timezone)}] ${entry}`;
}
