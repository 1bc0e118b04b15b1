// The child of the test of the same name: before each fact a person's file is ready to be renamed over MEMORY.md.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMemory } from "../../dist/index.js";

const [workspace, times] = process.argv.slice(2);
const path = join(workspace, "memory", "MEMORY.md");
mkdirSync(join(workspace, "memory"), { recursive: true });
writeFileSync(path, "# Memory\n\n- sails\n");
const memory = await openMemory({ workspace });
for (let number = 0; number < Number(times); number++) {
  writeFileSync(`${path}.saved`, `${readFileSync(path, "utf8")}- line y${number}y by hand\n`);
  try {
    await memory.remember("cli:a", { fact: `Unit x${number}x was remembered`, by: "test" });
  } catch (error) {
    console.log(`${error.message}\n${JSON.stringify(readFileSync(path, "utf8"))}`);
    process.exit();
  }
  console.log(String(statSync(`${path}.saved`, { throwIfNoEntry: false }) === undefined));
}
if (process.env["SAVED_WHILE_ERASED"] || process.env["SAVED_BEFORE_ERASED"])
  await memory.trust.forget({ text: "sails" });
await memory.retire("cli:a", "nothing of the kind", "test");
console.log(JSON.stringify(await memory.readMemory()));
await memory.close();
