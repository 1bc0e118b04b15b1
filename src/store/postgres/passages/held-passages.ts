import { createPassageTable } from "../../../search/passage-table.ts";
import type { PassageTable } from "../../../search/passage-table.ts";
import type { Units, UnitSource } from "../../../search/unit.ts";
import type { Query } from "../tenant.ts";
import { readBlocks, readSources } from "./read-blocks.ts";
import type { ChangedBlock } from "./read-blocks.ts";

/** Every passage of a workspace without its words, kept in memory for as long as nothing changes. */
export interface HeldPassages {
  readonly table: Pick<PassageTable, "size" | "words" | "wordsOf">;
  /** Where passages come from, as far as it was read. */
  readonly sources: Map<number, UnitSource>;
  /** Up to which change it is known what there is. */
  readonly version: number;
  /** Reads the blocks that have changed; they are all that did. */
  refresh(ask: Query, changed: readonly ChangedBlock[]): Promise<void>;
  /** The units, as one question looks at them. */
  units(): Units;
}

/** Keeps the passages of a workspace in memory; nothing is read before the first refresh. */
export function createHeldPassages(): HeldPassages {
  const table = createPassageTable();
  const sources = new Map<number, UnitSource>();
  let version = 0;
  return {
    table,
    sources,
    get version() {
      return version;
    },
    async refresh(ask, changed) {
      const firsts = changed.filter((block) => block.version > version).map(({ first }) => first);
      if (firsts.length === 0) return;
      const rows = await readBlocks(ask, firsts);
      await readSources(
        ask,
        rows.map(({ source }) => source),
        sources,
      );
      table.remove(firsts.flatMap((first) => table.inBlock(first)));
      table.add(rows);
      version = Math.max(...changed.map((block) => block.version));
    },
    units: () => table.units((source) => sources.get(source) ?? NO_SOURCE),
  };
}

const NO_SOURCE: UnitSource = { path: "", project: "", session: "", scope: "" };
