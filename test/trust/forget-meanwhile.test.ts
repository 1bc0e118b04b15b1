import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { openFilesStore } from "../../src/store/files/open-files-store.ts";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const inFolder = ofFolder("a person writes into a file");
const LINE = "- Call Ben back\n";
const append = (path: string) => appendFileSync(path, LINE);
const saveAnew = (path: string) => {
  const text = readFileSync(path, "utf8");
  renameSync(path, `${path}~`);
  writeFileSync(path, `${text}${LINE}`);
};

/** Forgets Zanzibar, while a person writes into a file right after it was looked at. */
async function forgetWhile(name: string, text: string, write: (path: string) => void) {
  const workspace = temporaryFolder();
  const path = join(workspace, name);
  let isWritten = false;
  const memory = await open({
    workspace,
    store: {
      name: workspace,
      async open(setting) {
        const store = await openFilesStore(workspace, setting);
        const read: typeof store.forgetting.read = async (asked) => {
          const bytes = await store.forgetting.read(asked);
          if (asked === name && !isWritten) {
            isWritten = true;
            write(path);
          }
          return bytes;
        };
        return { ...store, forgetting: { ...store.forgetting, read } };
      },
    },
  });
  writeFileSync(path, text);
  await memory.trust.forget({ text: "Zanzibar" });
  expect(isWritten).toBe(true);
  return path;
}

describe("what a person writes while something is forgotten stays", () => {
  const files: [string, string, string][] = [
    ["a note", "memory/2026-11-15.md", "# Day\n\n- Zanzibar in June\n- Ana likes tea\n"],
    ["a note that says nothing else", "memory/2026-11-15.md", "- Zanzibar in June\n"],
    ["HISTORY.md", "memory/HISTORY.md", "[2026-11-15 09:00] Zanzibar in June.\n\n[2026-11-15 09:10] Tea.\n\n"],
  ];
  for (const [what, name, text] of files) {
    inFolder(`in ${what} that they append to`, async () => {
      const after = readFileSync(await forgetWhile(name, text, append), "utf8");
      expect(after).toContain(LINE);
      expect(after).not.toContain("Zanzibar");
    });

    inFolder(`in ${what} that they save anew, with the copy that their editor made`, async () => {
      const path = await forgetWhile(name, text, saveAnew);
      const after = readFileSync(path, "utf8");
      expect(after).toContain(LINE);
      expect(after).not.toContain("Zanzibar");
      expect(existsSync(`${path}~`) && readFileSync(`${path}~`).includes(0)).toBe(false);
    });
  }
});
