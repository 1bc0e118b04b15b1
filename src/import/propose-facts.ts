import { parseFacts } from "../change/read-outline.ts";
import { oneLine } from "../language/one-line.ts";
import { loadForgottenSince } from "../files/forgotten.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import type { Memory } from "../memory.ts";
import type { MessageInput } from "../session/message.ts";
import { idOf, skip } from "./found.ts";
import type { Found, FoundFact } from "./found.ts";

/**
 * Puts what another agent believed before a person, as one proposal that `tidemark review` shows fact by fact. Each fact
 * is also a message of the session `import:<agent>`, with the place in the original: that is its source.
 */
export async function proposeFacts(
  memory: Memory,
  found: Found,
  request: { from: string; dryRun: boolean; heard: string | undefined },
): Promise<{ proposed: number; known: number; proposal: string | null }> {
  const key = `import:${request.from}`;
  const session = await memory.session(key, request.heard);
  const isForgotten = await loadForgottenSince(memory.store.documents, request.heard);
  const facts = found.facts.filter(({ text }) => !isForgotten(text));
  for (const { source } of found.facts.filter((fact) => !facts.includes(fact)))
    skip(found, source, "fact", "forgotten here");
  const base = await memory.readMemory(key);
  const present = new Set(parseFacts(base).map(({ text }) => text));
  const ids = new Set(session.messages().map(({ id }) => id));
  const fresh = facts
    .map((fact) => ({
      ...fact,
      text: oneLine(maskSecrets(fact.text)),
      id: idOf(request.from, fact.source.replace(/:\d+$/, ""), fact.text),
    }))
    .filter(({ id, text }) => !ids.has(id) && !present.has(text) && ids.add(id) && present.add(text));
  const counts = { proposed: fresh.length, known: facts.length - fresh.length };
  if (fresh.length === 0) return { ...counts, proposal: null };
  const run = `import-${idOf(
    request.from,
    fresh.map(({ id }) => id),
  )}`;
  if (request.dryRun) return { ...counts, proposal: run };
  // The proposal first: killed in between, the next import finds its run and only adds the messages.
  const runs = await memory.state.listRuns({ session: key });
  if (!runs.some(({ id }) => id === run)) {
    await memory.propose(
      key,
      fresh.map(({ text, heading, id }) => ({ text, heading, message: id })),
      { run, from: request.from, heard: request.heard },
    );
  }
  const from = session.length;
  await session.appendAll(fresh.map((fact) => toMessage(fact)));
  // They wait for a person already: no digest need propose them again.
  await memory.markDigested(key, from + fresh.length);
  return { ...counts, proposal: run };
}

type Fresh = FoundFact & { id: string };

function toMessage({ id, text, source, timestamp }: Fresh): MessageInput {
  return { role: "system", content: text, id, source, ...(timestamp === undefined ? {} : { timestamp }) };
}
