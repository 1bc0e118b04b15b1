import { commit, recordChange } from "../change/commit.ts";
import type { Planned } from "../change/commit.ts";
import { sortByOrigin } from "../change/origin.ts";
import { HISTORY_FILE } from "../layout.ts";
import { formatDay } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import type { Proposal } from "./ask-model.ts";
import type { Due } from "./consolidate.ts";
import { buildRawEntry } from "./build-raw-entry.ts";
import { DIGEST } from "./digest.ts";

const MAX_FAILURES = 3;

/** The first failures leave everything as it was; the third archives the stretch as it was said, and moves on. */
export async function handleFailure(
  workspace: Workspace,
  due: Due,
  failure: Extract<Proposal, { kind: "failed" }>,
  begun: {
    id: string;
    session: string;
    identity: string;
    from: number;
    startedAt: string;
    heard: string;
  },
) {
  const { session, from, id, startedAt, heard } = begun;
  const { to } = due.stretch;
  const { scope } = workspace.filesOf(session);
  const { reason, model, usage, said } = failure;
  const failures = ((await workspace.history.listFailures()).get(session) ?? 0) + 1;
  const { identity } = begun;
  const author = model === DIGEST ? "rules" : "model";
  if (failures < MAX_FAILURES) {
    const stretch = { session, identity, from, to };
    const refused = {
      id,
      scope,
      author,
      by: model,
      cause: "digest",
      trigger: due.trigger,
      outcome: "refused",
    } as const;
    await recordChange(workspace, { ...refused, reason, startedAt, usage, stretch, ...(said ? { answer: said } : {}) });
    return { kind: "refused" as const, session, reason, failures };
  }
  const messages = due.messages.slice(from - due.stretch.from);
  const { now, timezone, config } = workspace;
  const { ids, tools } = sortByOrigin(messages, config.trust);
  const marks = { ids: new Set(ids), tools: tools.join(", ") };
  const { entry, overflow } = buildRawEntry(messages, session, now(), timezone, marks);
  const own = messages.filter((message) => !marks.ids.has(message.id));
  const repeatable = buildRawEntry(own, session, now(), timezone).entry;
  const plan = (): Planned<undefined> => ({
    change: {
      cause: "digest",
      trigger: due.trigger,
      author,
      by: model,
      edits: [],
      entries: [{ file: diaryFile(workspace), entry }, ...(overflow ? [overflow] : [])],
      stretch: {
        session,
        identity,
        from,
        to,
        repeatable: workspace.clean(repeatable),
      },
      basis: { session, messages, earlier: [], evidence: [] },
      held: [],
      record: { id, startedAt, outcome: "archived-raw", reason, usage },
      answer: said,
    },
    result: undefined,
  });
  await commit(workspace, scope, plan, { heard });
  return { kind: "archived-raw" as const, session, from, to, change: id, reason };
}

/** Where entries go: the diary, or the day's note where there is none. */
export function diaryFile({ config, now, timezone }: Workspace): string {
  return config.history.enabled ? HISTORY_FILE : `${formatDay(now(), timezone)}.md`;
}
