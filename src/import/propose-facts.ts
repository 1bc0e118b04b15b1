import { oneLine, parseFacts } from "../files/facts.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import type { Memory } from "../memory.ts";
import type { MessageInput } from "../session/message.ts";
import type { Apply, SourcedFact } from "../state/state.ts";
import { formatMinute, formatTimestamp } from "../time.ts";
import { idOf } from "./found.ts";
import type { FoundFact } from "./found.ts";
import type { ImportRequest } from "./import-from.ts";

/**
 * Puts what another agent believed before a person, as one proposal that `tidemark review` shows fact by fact. Each fact
 * is also a message of the session `import:<agent>`, with the place in the original: that is its source.
 */
export async function proposeFacts(
  memory: Memory,
  found: readonly FoundFact[],
  request: ImportRequest,
): Promise<{ proposed: number; known: number; proposal: string | null }> {
  const key = `import:${request.from}`;
  const session = await memory.session(key);
  const base = await memory.readMemory(key);
  const present = new Set(parseFacts(base).map(({ text }) => text));
  const ids = new Set(session.messages().map(({ id }) => id));
  const fresh = found
    .map((fact) => ({
      ...fact,
      text: oneLine(maskSecrets(fact.text)),
      id: idOf(request.from, fact.source.replace(/:\d+$/, ""), fact.text),
    }))
    .filter(({ id, text }) => !ids.has(id) && !present.has(text) && ids.add(id) && present.add(text));
  const counts = { proposed: fresh.length, known: found.length - fresh.length };
  if (fresh.length === 0) return { ...counts, proposal: null };
  const run = `import-${idOf(
    request.from,
    fresh.map(({ id }) => id),
  )}`;
  if (request.dryRun) return { ...counts, proposal: run };
  // The proposal first: killed in between, the next import finds its run and only adds the messages.
  const runs = await memory.state.listRuns({ session: key });
  if (!runs.some(({ id }) => id === run)) {
    const scope = await memory.desk.withFiles(key, async (files) => files.scope);
    await memory.state.finishApply(buildProposal(memory, request, { run, key, scope, base, fresh }));
  }
  const from = session.length;
  await session.appendAll(fresh.map((fact) => toMessage(fact)));
  // They wait for a person already: no digest need propose them again.
  await memory.desk.markDigested(key, from + fresh.length);
  return { ...counts, proposal: run };
}

type Fresh = FoundFact & { id: string };

function toMessage({ id, text, source, timestamp }: Fresh): MessageInput {
  return { role: "system", content: text, id, source, ...(timestamp === undefined ? {} : { timestamp }) };
}

function buildProposal(
  memory: Memory,
  { from, path, now }: ImportRequest,
  { run, key, scope, base, fresh }: { run: string; key: string; scope: string; base: string; fresh: readonly Fresh[] },
): Apply {
  const { timezone } = memory.config.agents.defaults;
  const at = formatTimestamp(now(), timezone);
  const reason = `${fresh.length} facts come from ${from}`;
  const facts = fresh.map(({ text, id }): SourcedFact => ({
    text,
    session: key,
    message: id,
    quote: text,
    proof: "quote",
  }));
  const held = {
    base,
    answer: {
      history_entry: `[${formatMinute(now(), timezone)}] ${fresh.length} facts were imported from ${from} (${path}).`,
      memory_update: `${base.trim() === "" ? "# Memory" : base.trimEnd()}\n\n${outline(fresh)}`,
      evidence: fresh.map(({ text, id }) => ({ fact: text, quote: text, message: id })),
      removed: [],
    },
    session: key,
    from: 0,
    to: 0,
    reason,
    items: fresh.map(({ text }) => ({ kind: "add", fact: text })),
    facts,
  };
  const nothing = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  const counts = { kept: parseFacts(base).length, added: 0, reworded: 0, retired: 0 };
  return {
    run: {
      id: run,
      scope,
      session: key,
      from: 0,
      to: 0,
      cause: `import from ${from}`,
      model: "import",
      outcome: "held",
      reason,
      startedAt: at,
      finishedAt: at,
      usage: nothing,
      counts,
    },
    log: { path: "", identity: "" },
    diary: null,
    notes: [],
    memory: null,
    facts: [],
    retired: [],
    held,
  };
}

/** The facts under their headings, so that each finds its place in MEMORY.md. */
function outline(facts: readonly FoundFact[]): string {
  const sections = new Map<string, string[]>();
  for (const { heading, text } of facts) {
    const lines = sections.get(heading) ?? [];
    sections.set(heading, lines);
    lines.push(`- ${text}`);
  }
  return [...sections].map(([heading, lines]) => `## ${oneLine(heading)}\n\n${lines.join("\n")}\n`).join("\n");
}
