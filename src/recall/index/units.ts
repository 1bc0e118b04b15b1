import type { Database } from "../../store/files/database.ts";
import { unpackTraits } from "../../search/passage.ts";
import type { SearchFilter } from "../../search/search.ts";
import { hasTimeFilter, stretchesAround, unitKey } from "../../search/unit.ts";
import type { Unit, Units, UnitSource } from "../../search/unit.ts";

const COLUMNS = "id, source, unit, wall_s, traits, speaker, size";

/** Makes ready to read units; call it anew for each question, since the index may change. */
export function createUnits(database: Database): Units {
  const sources = prepareSources(database, new Map());
  const units = new Map<number, Unit>();
  const byId = database.prepare(`SELECT ${COLUMNS} FROM passages WHERE id = ?`);
  byId.setReturnArrays(true);
  const byPlace = database.prepare(
    `SELECT ${COLUMNS} FROM passages WHERE source = ? AND unit BETWEEN ? AND ? ORDER BY unit, id`,
  );
  byPlace.setReturnArrays(true);
  return {
    ofPassage(passage) {
      const row: Row | undefined = byId.get(passage);
      if (!row) return undefined;
      const key = keyOf(row);
      const unit = units.get(key) ?? createUnit(row, sources);
      units.set(key, unit);
      return unit;
    },
    around(seeds, places) {
      const whole = new Map<number, Unit>();
      for (const [source, from, to] of stretchesAround(seeds, places)) {
        for (const row of byPlace.all(source, from, to)) addPassage(whole, row, sources);
      }
      return [...whole.values()];
    },
    allowed: (filter) => readAllowed(database, filter),
  };
}

type Row = Record<number, unknown>;

function keyOf(row: Row): number {
  return unitKey(Number(row[1]), Number(row[2]));
}

function createUnit(row: Row, sources: (id: number) => UnitSource): Unit {
  const { voice, kind, isStanding } = unpackTraits(Number(row[4]));
  return {
    key: keyOf(row),
    source: sources(Number(row[1])),
    ordinal: Number(row[2]),
    wallMs: typeof row[3] === "number" ? row[3] * 1_000 : undefined,
    voice,
    kind,
    isStanding,
    speaker: String(row[5]),
    passages: [],
    size: 0,
  };
}

function addPassage(units: Map<number, Unit>, row: Row, sources: (id: number) => UnitSource): void {
  const key = keyOf(row);
  const unit = units.get(key) ?? createUnit(row, sources);
  unit.passages.push(Number(row[0]));
  unit.size += Number(row[6]);
  units.set(key, unit);
}

/** Makes ready to read sources; those that were read are added to what is known. */
export function prepareSources(database: Database, known: Map<number, UnitSource>): (id: number) => UnitSource {
  const read = database.prepare("SELECT path, project, session, scope FROM sources WHERE id = ?");
  read.setReturnArrays(true);
  return (id) => {
    let source = known.get(id);
    if (source) return source;
    const row: Row | undefined = read.get(id);
    const [path = "", project = "", session = "", scope = ""] = [row?.[0], row?.[1], row?.[2], row?.[3]].map(String);
    source = row ? { path, project, session, scope } : { path: "", project: "", session: "", scope: "" };
    known.set(id, source);
    return source;
  };
}

/** By sources first: of many people's memories only one is read. */
function readAllowed(database: Database, { project, scopes, sinceMs, untilMs }: SearchFilter): number[] {
  const read = database.prepare(`
    SELECT p.id FROM sources s CROSS JOIN passages p ON p.source = s.id
    WHERE (? OR s.project = ?)
      AND (? OR s.path LIKE 'docs/%' OR s.scope IN (SELECT value FROM json_each(?)))
      AND (? OR p.wall_s * 1000 BETWEEN ? AND ?)`);
  read.setReturnArrays(true);
  const least = sinceMs ?? Number.MIN_SAFE_INTEGER;
  const most = untilMs ?? Number.MAX_SAFE_INTEGER;
  const rows = read.all(
    isAny(project === undefined),
    project ?? "",
    isAny(scopes === undefined),
    JSON.stringify(scopes ?? []),
    isAny(!hasTimeFilter({ sinceMs, untilMs })),
    least,
    most,
  );
  return rows.map((row: Row) => Number(row[0]));
}

/** SQLite knows no booleans. */
function isAny(part: boolean): number {
  return part ? 1 : 0;
}
