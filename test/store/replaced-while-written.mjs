// An editor renames its save over the diary right after we have opened it, and before we write.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const [workspace] = process.argv.slice(2);
const realOpen = promises.open;
promises.open = async (name, flags, ...rest) => {
  const path = String(name);
  const file = await realOpen(path, flags, ...rest);
  if (!path.endsWith("HISTORY.md") || flags !== "a") return file;
  promises.open = realOpen;
  syncBuiltinESMExports();
  writeFileSync(`${path}.save`, readFileSync(path, "utf8").replace("roses", "tulips"));
  renameSync(`${path}.save`, path);
  return file;
};
syncBuiltinESMExports();

const { openMemory } = await import("../../dist/index.js");
const memory = await openMemory({ workspace });
const session = await memory.session("cli:a");
await session.append({ role: "user", content: "I live in Porto since May, and I work as a nurse." });
await session.append({ role: "assistant", content: "Noted." });
await memory.consolidate("cli:a", { all: true });
await memory.close();
