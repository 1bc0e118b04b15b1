import { linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

const inFolder = ofFolder("a file has two names");
const ARCHIVED = ["cli_a-20261115T090000000.jsonl", "cli_a-20261115T090001000.jsonl"] as const;

/** A session that a /new which was killed half-way left under two names. */
async function halfEnded() {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  const session = await memory.session("cli:a");
  await session.append({ role: "user", content: "We go to Zanzibar in June." });
  await session.append({ role: "user", content: "Ana likes tea." });
  const archive = join(workspace, "sessions/archive");
  mkdirSync(archive, { recursive: true });
  linkSync(join(workspace, "sessions/cli_a.jsonl"), join(archive, ARCHIVED[0]));
  return { memory, workspace, archive, said: () => session.messages().map(({ content }) => content) };
}

describe("a session that was half ended", () => {
  inFolder("is one session, not two, after something in it was forgotten", async () => {
    const { memory, workspace, archive, said } = await halfEnded();
    await memory.trust.forget({ text: "Zanzibar" });
    expect(said()).toEqual(["[forgotten]", "Ana likes tea."]);
    expect(readdirSync(archive)).toEqual([]);
    expect(await whereKept(workspace, "Zanzibar")).toEqual([]);
  });

  inFolder("has one name in the archive once it is ended", async () => {
    const { memory, archive, said } = await halfEnded();
    const { archive: name } = await memory.startNew("cli:a");
    expect(said()).toEqual([]);
    expect(readdirSync(archive).map((each) => join(archive, each))).toEqual([name]);
  });

  inFolder(
    "has one name in the archive after something in it was forgotten, if an older version gave it two",
    async () => {
      const { memory, workspace, archive } = await halfEnded();
      const { archive: name = "" } = await memory.startNew("cli:a");
      linkSync(name, join(archive, ARCHIVED[1]));
      await memory.trust.forget({ text: "Zanzibar" });
      expect(readdirSync(archive)).toHaveLength(1);
      expect(await whereKept(workspace, "Zanzibar")).toEqual([]);
      const left = (await whereKept(workspace, "Ana likes tea")).filter((path) => path.startsWith("sessions"));
      expect(left).toHaveLength(1);
    },
  );

  inFolder("leaves the links of a snapshot alone", async () => {
    const { memory, workspace, archive } = await halfEnded();
    rmSync(archive, { recursive: true });
    linkSync(join(workspace, "sessions/cli_a.jsonl"), join(workspace, "snapshot.jsonl"));
    await memory.trust.forget({ text: "Ana" });
    linkSync(join(workspace, "sessions/cli_a.jsonl"), join(workspace, "second-snapshot.jsonl"));
    await memory.startNew("cli:a");
    expect(readdirSync(archive)).toHaveLength(1);
    expect(readdirSync(workspace)).toEqual(expect.arrayContaining(["snapshot.jsonl", "second-snapshot.jsonl"]));
  });
});
