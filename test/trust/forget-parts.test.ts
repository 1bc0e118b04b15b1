// @module-tag stores
import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClientTalk } from "../../src/door/client-talk.ts";
import { FORGOTTEN_PLACE } from "../../src/layout.ts";
import { ofFolder, readKept, writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const DIARY = [
  "[2026-11-10 09:00] They planned the harbour tour. Marta will bring the tickets. The boat leaves at nine. Ana likes tea.",
  "[2026-11-11 10:00] Marta called.",
  "[2026-11-12 11:00] The weather was fine. Nothing else happened.",
].join("\n\n");

async function start(files: Record<string, string>) {
  const workspace = temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeKept(workspace, `memory/${name}`, text);
  const memory = await open({ workspace });
  return { memory, workspace, file: (name: string) => readKept(workspace, `memory/${name}`) };
}

describe("forgetting takes no neighbour along", () => {
  it("takes the sentences of a diary entry that say it, and keeps the rest byte for byte", async () => {
    const { memory, file } = await start({ "HISTORY.md": `${DIARY}\n\n` });
    const trial = await memory.trust.forget({ person: "Marta" }, { isTrial: true });
    const shown = trial.kind === "trial" ? trial.finds.map(({ text }) => text) : [];
    expect(shown).toContain("Marta will bring the tickets.");
    expect(shown.join("\n")).not.toContain("boat leaves");
    await memory.trust.forget({ person: "Marta" });
    expect(await file("HISTORY.md")).toBe(
      "[2026-11-10 09:00] They planned the harbour tour. The boat leaves at nine. Ana likes tea.\n\n[2026-11-12 11:00] The weather was fine. Nothing else happened.\n\n",
    );
  });

  it("also where an entry has items, and where the text runs over two sentences", async () => {
    const entry = "[2026-11-10 09:00] Topics:\n- Ben moved. He lives in Porto now.\n- Ana likes tea.\n\n";
    const { memory, file } = await start({ "HISTORY.md": entry });
    await memory.trust.forget({ text: "Ben moved. He lives in Porto" });
    expect(await file("HISTORY.md")).not.toContain("Porto");
    expect(await file("HISTORY.md")).toContain("- Ana likes tea.");
  });
});

describe("forgetting finds what is split", () => {
  it.each(["Ma\u00ADrta", "Mar\u200Bta", "**Mar**ta", "M\u2060arta", "__Marta__", "Ｍａｒｔａ"])("%j", async (name) => {
    const { memory, file } = await start({ "MEMORY.md": `# Memory\n\n- ${name} lives in Porto\n- Ana likes tea\n` });
    await memory.trust.forget({ person: "Marta" });
    expect(await file("MEMORY.md")).toBe("# Memory\n\n- Ana likes tea\n");
  });
});

ofFolder("rows have no links")(
  "the scan follows a link to the memory, and the receipt says what it does not reach",
  async () => {
    const workspace = temporaryFolder();
    const elsewhere = temporaryFolder();
    const memory = await open({ workspace });
    await memory.replaceMemory("# Memory\n\n- Marta lives in Porto\n");
    renameSync(join(workspace, "memory"), join(elsewhere, "memory"));
    symlinkSync(join(elsewhere, "memory"), join(workspace, "memory"));
    symlinkSync(workspace, join(elsewhere, "memory/round"));
    writeFileSync(join(elsewhere, "memory/data.bin"), "xx Marta lives in Porto xx");
    const done = await memory.trust.forget({ text: "Marta lives in Porto" });
    expect(done).toMatchObject({
      kind: "forgotten",
      receipt: {
        left: [{ path: "memory/data.bin", encoding: "UTF-8" }],
        elsewhere: expect.stringContaining("Backups, exports"),
      },
    });
  },
);

describe("a client that sends its history again", () => {
  const history = [
    { role: "user", content: "My bank account is at Banco do Porto, number 42" },
    { role: "assistant", content: "Noted." },
    { role: "user", content: "And I like tea" },
    { role: "assistant", content: "Good." },
  ] as const;

  it("does not bring back what was forgotten, whatever the session it lands in", async () => {
    const { memory, workspace } = await start({});
    const talk = createClientTalk(memory);
    await talk.hear("api:a", history);
    await memory.trust.forget({ text: "Banco do Porto" });
    const again = [...history, { role: "user", content: "What do I like?" }] as const;
    await talk.hear("api:a", again);
    await talk.hear("api:b", again);
    const said = (await memory.session("api:a")).messages().map(({ content }) => content);
    expect(said).toEqual(["[forgotten]", "Noted.", "And I like tea", "Good.", "What do I like?"]);
    expect((await memory.session("api:b")).messages().map(({ content }) => content)).toEqual(said.slice(1));
    const kept = await readKept(workspace, FORGOTTEN_PLACE);
    expect(kept).not.toContain("Banco");
  });

  it("but what is said anew is kept", async () => {
    const { memory } = await start({});
    const talk = createClientTalk(memory);
    await talk.hear("api:a", history);
    await memory.trust.forget({ text: "Banco do Porto" });
    await talk.hear("api:a", [...history, history[0]]);
    expect((await memory.session("api:a")).messages().at(-1)?.content).toBe(history[0].content);
  });
});
