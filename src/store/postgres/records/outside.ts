import { randomBytes } from "node:crypto";
import type { Apply, Outside } from "../../../history/state.ts";
import type { Query, Tenant } from "../tenant.ts";

// More than the words of any language that people use; the oldest go first.
const MOST_WORDS = 200_000;

/** What came from outside, so that what repeats it later is known for it. */
export function createOutside({ query }: Tenant): Outside {
  return {
    async outsideSalt() {
      // Of several who make it at once the first one's counts.
      const [row] = await query(
        `INSERT INTO tidemark_outside_salts AS known (workspace, salt) VALUES ($1, $2)
         ON CONFLICT (workspace) DO UPDATE SET salt = known.salt RETURNING salt`,
        [randomBytes(32).toString("hex")],
      );
      return String(row?.["salt"]);
    },
    async eraseOutsideWords(hashes) {
      await query("DELETE FROM tidemark_outside_words WHERE workspace = $1 AND hash = ANY ($2::text[])", [hashes]);
    },
    async noteOutsideFile(path, tool) {
      if (tool === null) await query("DELETE FROM tidemark_outside_files WHERE workspace = $1 AND path = $2", [path]);
      else
        await query(
          `INSERT INTO tidemark_outside_files (workspace, path, tool) VALUES ($1, $2, $3)
           ON CONFLICT (workspace, path) DO UPDATE SET tool = excluded.tool`,
          [path, tool],
        );
    },
    async findOutsideFiles(paths) {
      const rows = await query(
        "SELECT path, tool FROM tidemark_outside_files WHERE workspace = $1 AND path = ANY ($2::text[])",
        [paths],
      );
      const tools = new Map(rows.map((row) => [String(row["path"]), String(row["tool"])]));
      return paths.flatMap((path) => {
        const tool = tools.get(path);
        return tool === undefined ? [] : [{ path, tool }];
      });
    },
    async hasOutside(scope) {
      const rows = await query("SELECT 1 FROM tidemark_outside_words WHERE workspace = $1 AND scope = $2 LIMIT 1", [
        scope,
      ]);
      return rows.length > 0;
    },
    async hasOutsideMessage(session, messages) {
      if (messages.length === 0) return false;
      const rows = await query(
        `SELECT 1 FROM tidemark_outside_messages
         WHERE workspace = $1 AND session = $2 AND message = ANY ($3::text[]) LIMIT 1`,
        [session, messages],
      );
      return rows.length > 0;
    },
    async findOutsideWords(scope, hashes) {
      if (hashes.length === 0) return [];
      const rows = await query(
        "SELECT hash, tool FROM tidemark_outside_words WHERE workspace = $1 AND scope = $2 AND hash = ANY ($3::text[])",
        [scope, hashes],
      );
      const tools = new Map(rows.map((row) => [String(row["hash"]), String(row["tool"])]));
      return hashes.flatMap((hash) => {
        const tool = tools.get(hash);
        return tool === undefined ? [] : [{ hash, tool }];
      });
    },
  };
}

/** Writes down the words that an apply brought from outside; the caller is in a transaction. */
export async function insertOutside(ask: Query, apply: Apply): Promise<void> {
  const { run, outside = [], outsideMessages = [] } = apply;
  const { scope, session } = run;
  if (outsideMessages.length > 0)
    await ask(
      `INSERT INTO tidemark_outside_messages (workspace, session, message) SELECT $1, $2, unnest($3::text[])
       ON CONFLICT DO NOTHING`,
      [session, outsideMessages],
    );
  if (outside.length === 0) return;
  await ask(
    `INSERT INTO tidemark_outside_words (workspace, scope, hash, tool)
     SELECT $1, $2, word.hash, word.tool FROM unnest($3::text[], $4::text[]) AS word (hash, tool) ON CONFLICT DO NOTHING`,
    [scope, outside.map(({ hash }) => hash), outside.map(({ tool }) => tool)],
  );
  await ask(
    `DELETE FROM tidemark_outside_words WHERE workspace = $1 AND scope = $2 AND id <= (
       SELECT id FROM tidemark_outside_words WHERE workspace = $1 AND scope = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)`,
    [scope, MOST_WORDS],
  );
}
