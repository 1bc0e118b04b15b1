import { parseFacts } from "../change/read-outline.ts";
import { oneLine } from "../language/one-line.ts";
import { loadForgottenSince } from "../files/forgotten.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import type { Memory } from "../memory.ts";
import { encodeKey } from "../session/file-name.ts";
import type { MessageInput } from "../session/message.ts";
import { idOf, skip } from "./found.ts";
import type { Found, FoundFact } from "./found.ts";
import { loadStored } from "./load-stored.ts";

/**
 * Puts what another agent believed before a person, as one proposal that `tidemark review` shows fact by fact. Each fact
 * is also a message of the session `import:<agent>`, with the place in the original: that is its source.
 */
export function proposeFacts(memory: Memory, found: Found, request: FactsRequest): Promise<Proposed> {
  const key = `import:${request.from}`;
  if (request.dryRun) return proposeAlone(memory, key, found, request);
  // Of two imports at once the second sees what the first one proposed.
  return memory.store.locks.with(`${encodeKey(key)}.facts`, () => proposeAlone(memory, key, found, request));
}

interface FactsRequest {
  from: string;
  dryRun: boolean;
  heard: string | undefined;
}

interface Proposed {
  proposed: number;
  known: number;
  proposal: string | null;
}

async function proposeAlone(memory: Memory, key: string, found: Found, request: FactsRequest): Promise<Proposed> {
  const session = await memory.session(key, request.heard);
  const isForgotten = await loadForgottenSince(memory.store.documents, request.heard);
  const facts = found.facts.filter(({ text }) => !isForgotten(text));
  for (const { source } of found.facts.filter((fact) => !facts.includes(fact)))
    skip(found, source, "fact", "forgotten here");
  const base = await memory.readMemory(key);
  const present = new Set(parseFacts(base).map(({ text }) => text));
  const ids = new Set((await loadStored(memory, key)).map(({ id }) => id));
  const named = facts.map((fact) => ({
    ...fact,
    text: oneLine(maskSecrets(fact.text)),
    id: idOf(request.from, fact.source.replace(/:\d+$/, ""), fact.text),
  }));
  const fresh = named.filter(({ id, text }) => !ids.has(id) && !present.has(text) && ids.add(id) && present.add(text));
  const counts = { proposed: fresh.length, known: facts.length - fresh.length };
  if (fresh.length === 0) {
    if (!request.dryRun) await passProposed(memory, key, named);
    return { ...counts, proposal: null };
  }
  const change = `import-${idOf(
    request.from,
    fresh.map(({ id }) => id),
  )}`;
  if (request.dryRun) return { ...counts, proposal: change };
  // The proposal first: killed in between, the next import finds it and only adds the messages.
  const known = await memory.history.find(change);
  if (known.length === 0) {
    await memory.propose(
      key,
      fresh.map(({ text, heading, id }) => ({ text, heading, message: id })),
      { change, from: request.from, heard: request.heard },
    );
  }
  await session.appendNew(fresh.map((fact) => toMessage(fact)));
  await passProposed(memory, key, named);
  return { ...counts, proposal: change };
}

/** They wait for a person already: no digest need propose them again. Also when an import was killed before it said so. */
async function passProposed(memory: Memory, key: string, facts: readonly Named[]): Promise<void> {
  const ids = new Set(facts.map(({ id }) => id));
  const last = (await loadStored(memory, key)).findLastIndex(({ id }) => ids.has(id));
  if (last >= 0) await memory.markDigested(key, last + 1);
}

type Named = FoundFact & { id: string };

function toMessage({ id, text, source, timestamp }: Named): MessageInput {
  return { role: "system", content: text, id, source, ...(timestamp === undefined ? {} : { timestamp }) };
}
