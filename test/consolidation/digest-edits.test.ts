import { expect, it } from "vitest";
import { writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** What the digest without a model makes of a MEMORY.md when these words are said. */
async function digest(before: string, ...said: string[]): Promise<string> {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  await writeKept(workspace, "memory/MEMORY.md", before);
  const session = await memory.session("cli:a");
  for (const content of said) await session.append({ role: "user", content });
  await memory.consolidate("cli:a", { all: true });
  return memory.readMemory();
}

const PARIS = "I live in Paris now.";

it.each([
  [
    "a line that only repeats its words",
    "# M\n\n## Notes\n\n- Ana says: User lives in Rome, she thinks\n\n## Facts\n\n- User lives in Rome\n",
    "# M\n\n## Notes\n\n- Ana says: User lives in Rome, she thinks\n\n## Facts\n\n- User lives in Paris now\n",
  ],
  [
    "a code block",
    "# M\n\n```\n- User lives in Rome\n```\n\n## Facts\n\n- User lives in Rome\n",
    "# M\n\n```\n- User lives in Rome\n```\n\n## Facts\n\n- User lives in Paris now\n",
  ],
  [
    "the same words in someone's section",
    "# M\n\n## Ana\n\n- User lives in Rome\n\n## Facts\n\n- User lives in Rome\n",
    "# M\n\n## Ana\n\n- User lives in Rome\n\n## Facts\n\n- User lives in Paris now\n",
  ],
  [
    "other lines of a fact of two lines",
    "## Facts\n\n- User lives in\n  Rome\n- sails\n",
    "## Facts\n\n- User lives in Paris now\n- sails\n",
  ],
  ["line ends", "## Facts\r\n\r\n- User lives in Rome\r\n- x", "## Facts\r\n\r\n- User lives in Paris now\r\n- x"],
  [
    "an equal line that is no longer so",
    "- User lives in Rome\n- sails\n- User lives in Rome\n",
    "- User lives in Paris now\n- sails\n",
  ],
])("a digest that corrects a fact leaves no mark on, and no trace of, %s", async (_, before, after) => {
  expect(await digest(before, PARIS)).toBe(after);
});

it("a digest takes nobody's fact where the same words stand in two people's sections", async () => {
  const people = "## Ana\n\n- User is allergic to nuts\n\n## Ben\n\n- User is allergic to nuts\n";
  expect(await digest(people, "I am not allergic to nuts.")).toBe(
    `${people}\n## Facts\n\n- User is not allergic to nuts\n`,
  );
});

it("a digest puts a new fact behind a code block that looks like a heading", async () => {
  const code = "## Facts\n\n```\n# comment\n```\n\n- a\n";
  expect(await digest(code, "I own a boat.")).toBe(`${code}- User owns a boat\n`);
});
