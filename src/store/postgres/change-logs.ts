import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ChangeLines, ChangeLogs } from "../changes.ts";
import type { Query, Tenant } from "./tenant.ts";

const LINES_AT_ONCE = 1000;
// Any number will do that nobody else locks by.
const APPENDING = 3_518_844;

const LineRow = z.object({
  log: z.string(),
  length: z.coerce.number(),
  sequence: z.coerce.number().nullable(),
  line: z.string().nullable(),
});

/** The logs of changes of a workspace as rows: a line has its number in its log, and a log that is rewritten another name. */
export function createChangeLogs({ query, transact }: Tenant): ChangeLogs {
  return {
    isCarriedOut: true,
    async scopes() {
      const rows = await query("SELECT scope FROM tidemark_change_logs WHERE workspace = $1 ORDER BY scope");
      return rows.map((row) => String(row["scope"]));
    },
    async read(scope, after) {
      // One statement sees one moment: a log that is rewritten meanwhile does not mix with the one before.
      const rows = await query(
        `SELECT l.log, l.length, c.sequence, c.line FROM tidemark_change_logs l LEFT JOIN LATERAL (
           SELECT sequence, line FROM tidemark_changes
           WHERE workspace = $1 AND scope = $2 AND sequence > CASE WHEN l.log = $3 AND l.length >= $4 THEN $4 ELSE 0 END
           ORDER BY sequence LIMIT $5) c ON true
         WHERE l.workspace = $1 AND l.scope = $2 ORDER BY c.sequence`,
        [scope, after?.log ?? "", after?.offset ?? 0, LINES_AT_ONCE],
      );
      const found = rows.map((row) => LineRow.parse(row));
      const [first] = found;
      if (first === undefined) return undefined;
      const isContinued = after?.log === first.log && after.offset <= first.length;
      const offset = found.at(-1)?.sequence ?? (isContinued ? after.offset : 0);
      return {
        log: first.log,
        offset,
        lines: found.flatMap(({ line }) => line ?? []),
        isContinued,
        isMore: offset < first.length,
      } satisfies ChangeLines;
    },
    async append(scope, line) {
      let sequence = 0;
      await transact(
        async (ask) => {
          await lockLog(ask, scope);
          const [row] = await ask(
            `WITH log AS (
               INSERT INTO tidemark_change_logs AS known (workspace, scope, log, length, version)
               VALUES ($1, $2, $3, 1, nextval('tidemark_versions')) ON CONFLICT (workspace, scope) DO UPDATE
               SET length = known.length + 1, version = excluded.version RETURNING length)
             INSERT INTO tidemark_changes (workspace, scope, sequence, line) SELECT $1, $2, length, $4 FROM log
             RETURNING sequence`,
            [scope, randomUUID(), line],
          );
          sequence = Number(row?.["sequence"]);
          return true;
        },
        async (ask) => {
          await lockLog(ask, scope);
          const rows = await ask(
            "SELECT 1 FROM tidemark_changes WHERE workspace = $1 AND scope = $2 AND sequence = $3 AND line = $4",
            [scope, sequence, line],
          );
          return rows.length > 0 || undefined;
        },
      );
    },
    rewrite: (scope, lines) =>
      transact(async (ask) => {
        await lockLog(ask, scope);
        await ask("DELETE FROM tidemark_changes WHERE workspace = $1 AND scope = $2", [scope]);
        await ask("DELETE FROM tidemark_change_logs WHERE workspace = $1 AND scope = $2", [scope]);
        if (lines.length === 0) return;
        await ask(
          `INSERT INTO tidemark_change_logs (workspace, scope, log, length, version)
           VALUES ($1, $2, $3, $4, nextval('tidemark_versions'))`,
          [scope, randomUUID(), lines.length],
        );
        for (let from = 0; from < lines.length; from += LINES_AT_ONCE)
          await ask(
            `INSERT INTO tidemark_changes (workspace, scope, sequence, line)
             SELECT $1, $2, $3 + place, line FROM unnest($4::text[]) WITH ORDINALITY AS new (line, place)`,
            [scope, from, lines.slice(from, from + LINES_AT_ONCE)],
          );
      }),
  };
}

/** One at a time appends to a log, also to one that is not there yet; a commit that is still under way is waited for. */
async function lockLog(ask: Query, scope: string): Promise<void> {
  await ask(`SELECT $1::text AS workspace, pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, ${APPENDING}))`, [
    scope,
  ]);
}
