import { randomBytes } from "node:crypto";
import { saltHash } from "../../../state/salt-hash.ts";
import { transact } from "../database.ts";
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
    outsideSalt: async () => readSalt(database),
    async eraseOutsideWords(hashes) {
      const remove = database.prepare("DELETE FROM outside_words WHERE hash = ?");
      transact(database, () => {
        for (const hash of hashes) remove.run(hash);
      });
    },
    async noteOutsideFile(path, tool) {
      database.prepare("DELETE FROM outside_files WHERE path = ?").run(path);
      if (tool !== null) database.prepare("INSERT INTO outside_files (path, tool) VALUES (?, ?)").run(path, tool);
    },
    async findOutsideFiles(paths) {
      const find = database.prepare("SELECT tool FROM outside_files WHERE path = ?");
      return paths.flatMap((path) => {
        const row = find.get(path);
        return row === undefined ? [] : [{ path, tool: String(row["tool"]) }];
      });
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

/** The salt; the first time it is made, and hashes that were kept without one are salted. */
function readSalt(database: Database): string {
  const known = database.prepare("SELECT salt FROM outside_salt").get();
  if (known !== undefined) return String(known["salt"]);
  return transact(database, () => {
    const made = database.prepare("SELECT salt FROM outside_salt").get();
    if (made !== undefined) return String(made["salt"]);
    const salt = randomBytes(32).toString("hex");
    database.prepare("INSERT INTO outside_salt (salt) VALUES (?)").run(salt);
    const update = database.prepare("UPDATE outside_words SET hash = ? WHERE id = ?");
    for (const { id, hash } of database.prepare("SELECT id, hash FROM outside_words").all())
      update.run(saltHash(salt, String(hash)), Number(id));
    return salt;
  });
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
