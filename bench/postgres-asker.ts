import { openMemory } from "../src/index.ts";

// A process that asks one memory, as a server would: what another store leaves in the same process does not count for it.
//   postgres-asker.ts STORE: a folder or a postgres:// address; once it is open it says so; then questions come over IPC, and
//   what each took goes back.
const [place = ""] = process.argv.slice(2);
const where = place.startsWith("postgres:") ? { store: place } : { workspace: place };
const memory = await openMemory({ ...where, passive: true, isLongRunning: true });

process.on("message", (question: string) => void answer(question));
process.on("disconnect", () => void memory.close());
process.send?.("ready");

async function answer(question: string): Promise<void> {
  const begun = performance.now();
  const used = process.cpuUsage();
  const { results, stale, notes } = await memory.search(question, { limit: 10 });
  const { user, system } = process.cpuUsage(used);
  process.send?.({
    ms: performance.now() - begun,
    cpuMs: (user + system) / 1000,
    found: results.length,
    isWhole: !stale && !notes.some((note) => note.includes("without a vector")),
  });
}
