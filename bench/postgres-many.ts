import { openMemory } from "../src/index.ts";
import type { Memory } from "../src/index.ts";

// A server of many workspaces: each is opened, and asked in turn, and all of them again; what that took goes back over IPC.
//   postgres-many.ts ADDRESS…
const memories: Memory[] = [];
const cold = await timed(async () => {
  for (const store of process.argv.slice(2)) {
    const memory = await openMemory({ store, passive: true, isLongRunning: true });
    memories.push(memory);
    await ask(memory);
  }
});
const warm = await timed(async () => {
  for (const memory of memories) await ask(memory);
});
process.on("disconnect", () => void Promise.all(memories.map((memory) => memory.close())));
process.send?.({
  rssMb: process.memoryUsage.rss() / 1e6,
  coldMs: cold / memories.length,
  warmMs: warm / memories.length,
});

async function ask(memory: Memory): Promise<void> {
  for (;;) {
    const { results, stale } = await memory.search("where did we leave the old boat", { limit: 10 });
    if (results.length > 0 && !stale) return;
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
