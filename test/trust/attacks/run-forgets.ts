import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { createClientTalk } from "../../../src/door/client-talk.ts";
import { openMemory } from "../../../src/index.ts";

const Forget = z.object({
  name: z.string(),
  wish: z.union([z.object({ person: z.string() }), z.object({ text: z.string() })]),
  files: z.record(z.string(), z.string()).default({}),
  say: z
    .array(
      z.object({
        role: z.enum(["user", "assistant", "tool"]),
        content: z.string(),
        name: z.string().default("someone"),
      }),
    )
    .default([]),
  revisions: z.array(z.string()).default([]),
  /** The client sends its whole history once more. */
  resend: z.boolean().default(false),
  gone: z.array(z.string()),
  stays: z.array(z.string()),
});

/** One forget, and whether all of it went, nothing else did, and the receipt says so. */
export interface Forgotten {
  name: string;
  isHeld: boolean;
}

/** Forgets, each in a folder of its own. */
export async function tryForgets(
  newFolder: () => string,
  isWanted: (index: number) => boolean = () => true,
): Promise<Forgotten[]> {
  const all = z.array(Forget).parse(JSON.parse(readFileSync(new URL("forgets.json", import.meta.url), "utf8")));
  const done: Forgotten[] = [];
  for (const [index, forget] of all.entries()) {
    if (isWanted(index)) done.push({ name: forget.name, isHeld: await tryForget(newFolder(), forget) });
  }
  return done;
}

async function tryForget(workspace: string, forget: z.infer<typeof Forget>): Promise<boolean> {
  for (const [name, text] of Object.entries(forget.files)) {
    const path = join(workspace, "memory", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const memory = await openMemory({ workspace });
  try {
    for (const text of forget.revisions) await memory.replaceMemory(text);
    const said = forget.say.map(({ name, ...message }) => (message.role === "tool" ? { ...message, name } : message));
    const talk = createClientTalk(memory);
    if (said.length > 0) await talk.hear("app:1", said);
    const outcome = await memory.trust.forget(forget.wish);
    if (forget.resend) await talk.hear("app:1", said);
    const isProven = outcome.kind === "forgotten" && outcome.receipt.left.length === 0;
    const rest = textsBelow(workspace);
    return (
      isProven && forget.gone.every((text) => !rest.includes(text)) && forget.stays.every((text) => rest.includes(text))
    );
  } finally {
    await memory.close();
  }
}

/** Everything below a folder, as one text. */
function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .map((text) => Buffer.from(text, "latin1").toString("utf8"))
    .join("\n");
}
