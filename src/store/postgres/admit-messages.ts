import { admitHeard } from "../../files/admit-heard.ts";
import { FORGETTINGS_PLACE } from "../../layout.ts";
import type { StoredMessage } from "../../session/message.ts";
import { contentOf } from "./documents.ts";
import type { Query } from "./tenant.ts";

/** A message, and what the last forgetting was when it came in. */
export interface HeardMessage {
  message: StoredMessage;
  heard: string | undefined;
}

/** Without what was forgotten since; asked once the log is locked, so that a forget finds it there or is seen here. */
export async function admitMessages(
  ask: Query,
  session: string,
  given: readonly HeardMessage[],
): Promise<StoredMessage[]> {
  if (given.every(({ heard }) => heard === undefined)) return given.map(({ message }) => message);
  const ledger = (await contentOf(ask, FORGETTINGS_PLACE))?.toString("utf8");
  return given.flatMap(({ message, heard }) => admitHeard([message], { session, mark: heard, ledger }));
}
