import type { Database } from "../database.ts";
import type { Apply, Outside } from "../../../state/state.ts";

// More than the words of any language that people use; the oldest go first.
const MOST_WORDS = 200_000;

/** What came from outside, over the state's database. */
export function createOutside(database: Database): Outside {
  return {
    async hasOutside(scope) {
      return database.prepare("SELECT 1 FROM outside_words WHERE scope = ? LIMIT 1").get(scope) !== undefined;
    },
    async hasOutsideMessage(session, messages) {
      const find = database.prepare("SELECT 1 FROM outside_messages WHERE session = ? AND message = ?");
      return messages.some((message) => find.get(session, message) !== undefined);
    },
    async findOutsideWords(scope, hashes) {
      const find = database.prepare("SELECT tool FROM outside_words WHERE scope = ? AND hash = ?");
      return hashes.flatMap((hash) => {
        const row = find.get(scope, hash);
        return row === undefined ? [] : [{ hash, tool: String(row["tool"]) }];
      });
    },
  };
}

/** Writes down the words that an apply brought from outside; the caller is in a transaction. */
export function insertOutside(database: Database, apply: Apply): void {
  const { run, outside = [], outsideMessages = [] } = apply;
  const { scope, session } = run;
  const name = database.prepare("INSERT OR IGNORE INTO outside_messages (session, message) VALUES (?, ?)");
  for (const message of outsideMessages) name.run(session, message);
  if (outside.length === 0) return;
  const insert = database.prepare("INSERT OR IGNORE INTO outside_words (scope, hash, tool) VALUES (?, ?, ?)");
  for (const { hash, tool } of outside) insert.run(scope, hash, tool);
  database
    .prepare(
      `DELETE FROM outside_words WHERE scope = ? AND id <= (
         SELECT id FROM outside_words WHERE scope = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
    )
    .run(scope, scope, MOST_WORDS);
}
