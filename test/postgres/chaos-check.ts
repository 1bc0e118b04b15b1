import type { Memory } from "../../src/index.ts";
import type { ClientBook } from "./chaos-clients.ts";

/** What is wrong with what was stored; each list is empty when nothing is. */
export interface Findings {
  lost: string[];
  doubled: string[];
  disordered: string[];
}

interface Said {
  role: string;
  content: string;
}

/**
 * Compares what was acknowledged with what is there. Logs that /new put away are named by the clock of whoever did it:
 * where clocks are wrong, the order within each of them is looked at, and not the order of their names.
 */
export async function checkTalk(
  memory: Memory,
  books: readonly ClientBook[],
  areClocksRight: boolean,
): Promise<Findings> {
  const findings: Findings = { lost: [], doubled: [], disordered: [] };
  const archived = await memory.store.logs.heads("archived");
  for (const session of new Set(books.map((book) => book.session))) {
    const heads = archived
      .filter(({ key }) => key === session)
      .toSorted((one, other) => (one.path < other.path ? -1 : 1));
    const logs: Said[][] = [];
    for (const head of heads) logs.push(saidIn(await readAll(await memory.store.logs.openHead(head))));
    if (!areClocksRight) logs.sort((one, other) => numberIn(one) - numberIn(other));
    const said = [...logs.flat(), ...saidIn(await readAll(await memory.store.logs.open(session)))];
    for (const book of books.filter((each) => each.session === session)) checkBook(book, said, findings);
  }
  return findings;
}

function numberIn([first]: readonly Said[]): number {
  return Number(first?.content.split(" m")[1] ?? 0);
}

async function readAll(log: Awaited<ReturnType<Memory["store"]["logs"]["open"]>>) {
  await log.load(0);
  return log.messages(0);
}

function saidIn(messages: readonly { role: string; content?: unknown }[]): Said[] {
  return messages.map(({ role, content }) => ({ role, content: String(content) }));
}

function checkBook(book: ClientBook, said: readonly Said[], { lost, doubled, disordered }: Findings): void {
  const place = (text: string) => `${book.session}: ${text}`;
  const own = said.filter(({ role, content }) => role === "user" && content.startsWith(`c${book.who} `));
  const words = own.map(({ content }) => content);
  for (const each of book.acknowledged) if (!words.includes(each)) lost.push(place(each));
  for (const each of repeated(words)) doubled.push(place(each));
  // What was said last may be there without its client having heard so; nothing else may.
  const allowed = new Set([...book.acknowledged, ...(book.open === undefined ? [] : [book.open])]);
  for (const each of words) if (!allowed.has(each)) doubled.push(place(`${each} was never said`));
  const order = words.map((each) => Number(each.split(" m")[1]));
  if (order.some((turn, index) => index > 0 && turn < (order[index - 1] ?? 0))) disordered.push(place(order.join(" ")));
  if (book.kind !== "turns") return;
  const answers = said.filter(({ role }) => role === "assistant").map(({ content }) => content);
  for (const each of book.answers) if (!answers.includes(each)) lost.push(place(`answer ${each}`));
  for (const each of repeated(answers)) doubled.push(place(`answer ${each}`));
  let current = "";
  for (const { role, content } of said) {
    if (role === "user") current = content;
    else if (!content.startsWith(`${current} #`)) disordered.push(place(`answer ${content} after ${current}`));
  }
}

/** Digests: no message is in two of them, and each that is on record has its one entry in the diary. */
export async function checkDigests(memory: Memory, sessions: readonly string[]): Promise<Findings & { runs: number }> {
  const findings = { lost: [] as string[], doubled: [] as string[], disordered: [] as string[], runs: 0 };
  const diary = await memory.store.memoryFiles("").read("HISTORY.md");
  const entries = [...diary.matchAll(/Digest number (\d+) of the talk/g)].map(([, number = ""]) => number);
  for (const number of repeated(entries)) findings.doubled.push(`diary: digest ${number}`);
  for (const session of sessions) {
    if (!(await memory.hasSession(session))) continue;
    const runs = (await memory.history.list({ session })).filter(
      ({ outcome, cause }) => outcome === "consolidated" && cause === "digest",
    );
    findings.runs += runs.length;
    // Logs that were ended begin at 0 again: their runs are told apart by their jobs, and checked by their entries.
    if (session.startsWith("chaos:ends-")) continue;
    const ranges = runs.map(({ from, to }) => ({ from, to })).toSorted((one, other) => one.from - other.from);
    for (const [index, { from }] of ranges.entries()) {
      const before = ranges[index - 1]?.to ?? 0;
      if (from < before) findings.doubled.push(`${session}: digested twice from ${from} to ${before}`);
      if (from > before) findings.lost.push(`${session}: passed over from ${before} to ${from}`);
    }
    const { cursor } = await memory.session(session);
    if (cursor !== (ranges.at(-1)?.to ?? 0)) findings.disordered.push(`${session}: cursor ${cursor}`);
  }
  const recorded = (await memory.history.list()).filter(
    ({ outcome, by }) => outcome === "consolidated" && by.startsWith("scripted/"),
  );
  if (recorded.length !== entries.length)
    findings.lost.push(`${recorded.length} digests on record, ${entries.length} in the diary`);
  return findings;
}

function repeated(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
}
