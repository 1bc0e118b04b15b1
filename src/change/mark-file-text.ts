import type { Config } from "../config.ts";
import { parseIfJson } from "../parse-if-json.ts";
import { Message } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";
import type { History } from "../history/history.ts";
import { markedIn } from "./marked-in.ts";
import { isMarked, OUTSIDE_MARK, sortByOrigin } from "./origin.ts";

// Sessions cut what a tool says at 16,000 characters: a mark behind that would not be kept.
const LONGEST_MARKED_BEHIND = 15_000;
// What is looked at before a stretch of talk: an assistant that has read the outside speaks for it from then on.
const LOOKED_BACK = 200;

/** Where texts are read. */
interface Place {
  history: Pick<History, "findOutsideFiles">;
  config: Pick<Config, "trust">;
  store: {
    documents: { read(path: string): Promise<string | undefined> };
    logs: { readLines(path: string): Promise<string | undefined> };
  };
}

/** A text with a mark where what it shows of the files that it was read from came from outside. */
export async function markFileText(place: Place, paths: readonly string[], text: string): Promise<string> {
  const tools = await findOutsideIn(place, paths, text);
  const isLong = text.length > LONGEST_MARKED_BEHIND;
  if (tools.length === 0 && !(isLong && isMarked(text))) return text;
  const mark = `${OUTSIDE_MARK}${[...new Set(tools)].join(", ") || "a tool"}]`;
  return isLong ? `${mark}\n${text}` : `${text}\n${mark}`;
}

/** What brought in from outside what a text shows of files; a mark that the text itself shows is not told again. */
export async function findOutsideIn(
  { history, config, store }: Place,
  paths: readonly string[],
  text: string,
): Promise<string[]> {
  const tools = (await history.findOutsideFiles(paths)).map(({ tool }) => tool);
  for (const path of paths) {
    if (/^memory\/.*\.md$/i.test(path) && !isMarked(text))
      tools.push(...markedIn((await store.documents.read(path)) ?? "", text));
    const talk = transcriptOf(path);
    if (talk === undefined) continue;
    const lines = ((await store.logs.readLines(talk)) ?? "").split("\n");
    tools.push(...(talk === path ? outsideTalk(lines, 0, lines.length, config.trust) : keptFrom(lines, path, config)));
  }
  return [...new Set(tools)];
}

/** What brought something from outside into a stretch of a transcript, of lines `from` to `to`. */
export function outsideTalk(lines: readonly string[], from: number, to: number, rules: Config["trust"]): string[] {
  const messages = readMessages(lines.slice(Math.max(0, from - LOOKED_BACK), to));
  const before = messages.length - readMessages(lines.slice(from, to)).length;
  const [all, earlier] = [sortByOrigin(messages, rules), sortByOrigin(messages.slice(0, before), rules)];
  const isShown = all.outside.length > earlier.outside.length || all.retold.length > earlier.retold.length;
  return isShown ? all.tools : [];
}

/** The transcript that a path is, or whose attachments it is one of. */
function transcriptOf(path: string): string | undefined {
  const [, stem] = /^sessions\/files\/([^/]+)\/./.exec(path) ?? [];
  if (stem !== undefined) return `sessions/${stem}.jsonl`;
  return /^sessions\/(?:archive\/)?[^/]+\.jsonl$/.test(path) ? path : undefined;
}

/** What brought in an attachment: the whole of a long result, or what a user sent along. */
function keptFrom(lines: readonly string[], path: string, { trust }: Pick<Config, "trust">): string[] {
  const at = lines.findIndex((line) => line.includes(path));
  if (at < 0) return ["an attachment"];
  const messages = readMessages(lines.slice(Math.max(0, at - LOOKED_BACK), at + 1));
  const named = messages.at(-1);
  if (named?.role === "user") return ["what the user attached"];
  const { ids, tools } = sortByOrigin(messages, trust);
  return named && ids.includes(named.id) ? tools : [];
}

function readMessages(lines: readonly string[]): StoredMessage[] {
  return lines.flatMap((line, index) => {
    const message = Message.safeParse(parseIfJson(line)).data;
    return message === undefined ? [] : [{ ...message, id: message.id ?? `line ${index}` }];
  });
}
