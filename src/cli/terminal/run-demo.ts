import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAgent } from "../../agent/open-agent.ts";
import { openMemory } from "../../memory.ts";
import type { Memory } from "../../memory.ts";
import { chooseStyle } from "./style.ts";
import type { Style } from "./style.ts";

const SESSION = "demo:ana";
const DAY_MS = 86_400_000;

// Two talks a week apart; the second corrects the first.
const TALKS: readonly (readonly [string, string])[][] = [
  [
    ["Hi, my name is Ana Reis.", "Hello Ana."],
    ["I live in Porto. I work as a marine biologist.", "Sounds like a job with wet feet."],
    ["My dog's name is Biscoito. I prefer trains to planes.", "Good to know."],
    ["We decided to survey the Douro estuary on 12 December.", "I will keep it in mind."],
  ],
  [
    ["I have just moved to Lisbon.", "How is the new place?"],
    ["Loud, but near the river. By the way: I am allergic to hazelnuts.", "No such cake, then."],
  ],
];

/** Shows the whole round on made-up talk: digest, ask, search, trace, undo. Everything is done, nothing is staged. */
export async function runDemo(): Promise<void> {
  const style = chooseStyle(process.stdout, process.env);
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-demo-"));
  let now = new Date(Date.now() - 7 * DAY_MS);
  // The tour is the same whatever model the environment names.
  delete process.env["TIDEMARK_MODEL"];
  const memory = await openMemory({ workspace, now: () => now });
  try {
    say(style.dim(`A workspace in ${workspace}, no model, no key. It is removed at the end.`));
    for (const [index, talk] of TALKS.entries()) {
      title(style, index === 0 ? "A week ago: a conversation" : "Today: the next one");
      await tellTalk(memory, talk, style);
      title(style, "The conversation is digested");
      await showDigest(memory, style);
      now = new Date();
    }
    await askAndTrace(memory, style);
    await showUndo(memory, style);
    say(`\nNow with your own words: ${style.accent("tidemark chat")}`);
  } finally {
    await memory.close();
    await rm(workspace, { recursive: true, force: true });
  }
}

async function tellTalk(memory: Memory, talk: readonly (readonly [string, string])[], style: Style): Promise<void> {
  const session = await memory.session(SESSION);
  for (const [words, answer] of talk) {
    say(`${style.accent(">")} ${words}`);
    say(style.dim(`  ${answer}`));
    await session.appendAll([
      { role: "user", content: words },
      { role: "assistant", content: answer },
    ]);
  }
}

async function showDigest(memory: Memory, style: Style): Promise<void> {
  const before = await memory.readMemory();
  await memory.consolidate(SESSION, { all: true });
  const after = await memory.readMemory();
  say(style.dim("MEMORY.md, in every prompt from now on:"));
  showChange(before, after, style);
}

function showChange(before: string, after: string, style: Style): void {
  const old = new Set(before.split("\n"));
  const fresh = new Set(after.split("\n"));
  for (const line of old) if (line.trim() !== "" && !fresh.has(line)) say(style.warn(`- ${line}`));
  for (const line of fresh) if (line.trim() !== "" && !old.has(line)) say(style.accent(`+ ${line}`));
}

async function askAndTrace(memory: Memory, style: Style): Promise<void> {
  const agent = openAgent(memory);
  title(style, "Asking in other words");
  for (const question of ["Where do I live now?", "When do we go to the estuary?"]) {
    say(`${style.accent(">")} ${question}`);
    const answer = await agent.turn("demo:later", question);
    say("text" in answer ? answer.text : answer.reason);
  }
  await agent.close();
  title(style, "Where a fact comes from");
  const facts = await memory.history.listFacts();
  const fact = facts.find(({ text, retiredAt }) => retiredAt === null && text.includes("Lisbon"));
  if (fact) {
    say(`“${fact.text}”`);
    say(
      style.dim(
        `  said in ${fact.session}, message ${fact.message}: “${fact.quote}”; change ${fact.change}, ${fact.addedAt.slice(0, 10)}`,
      ),
    );
  }
  for (const { text, retiredReason, replacedBy } of facts.filter(({ retiredAt }) => retiredAt !== null)) {
    say(`“${text}” ${style.dim(`no longer: ${retiredReason}${replacedBy === null ? "" : `, now “${replacedBy}”`}`)}`);
  }
}

async function showUndo(memory: Memory, style: Style): Promise<void> {
  title(style, "Taking it back");
  const before = await memory.readMemory();
  const outcome = await memory.undo({ key: SESSION, by: "user" });
  say(style.dim(outcome.kind === "undone" ? "/undo takes back the last digest:" : `/undo: ${outcome.kind}`));
  showChange(before, await memory.readMemory(), style);
}

function title(style: Style, text: string): void {
  say(`\n${style.bold(text)}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
