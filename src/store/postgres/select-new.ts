import { nameById } from "../../session/log.ts";
import type { NameOf } from "../../session/log.ts";
import type { StoredMessage } from "../../session/message.ts";
import { readMessages } from "./log-view.ts";
import type { LogRow } from "./log-view.ts";
import type { Query } from "./tenant.ts";

/** Those that the log does not hold yet, each name once. */
export async function selectNew(
  ask: Query,
  row: LogRow | undefined,
  messages: readonly StoredMessage[],
  nameOf: NameOf,
): Promise<StoredMessage[]> {
  const names = new Set<string>();
  if (row !== undefined && nameOf === nameById) {
    const known = await ask(
      "SELECT id FROM tidemark_messages WHERE workspace = $1 AND log = $2 AND id = ANY ($3::text[])",
      [row.id, messages.map(({ id }) => id)],
    );
    for (const each of known) names.add(String(each["id"]));
  } else if (row !== undefined) {
    for (const message of await readMessages(ask, row.id, 0, row.length)) {
      const known = nameOf(message);
      if (known !== undefined) names.add(known);
    }
  }
  return messages.filter((message) => {
    const own = nameOf(message);
    if (own === undefined) return true;
    const isNew = !names.has(own);
    names.add(own);
    return isNew;
  });
}
