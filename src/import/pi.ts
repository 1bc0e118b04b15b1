import { z } from "zod";
import { createFound } from "./found.ts";
import type { Found } from "./found.ts";
import { findFiles, findMarks, kindOf, placeOf, readFirstLine, readJsonLines } from "./read-source.ts";
import { readTree } from "./read-tree.ts";
import type { PlacedEntry } from "./read-tree.ts";
import type { OnRead, Source } from "./source.ts";
import { startTalk } from "./start-talk.ts";

const Head = z.looseObject({ type: z.literal("session"), id: z.string(), cwd: z.string() });
const Named = z.looseObject({ type: z.literal("session_info"), name: z.string().min(1) });
/** `sessions/--home-ada--/2026-11-15T13-22-46-080Z_<id>.jsonl`. */
const SESSION = /(?:^|\/)\d{4}-\d{2}-\d{2}T[\d-]+Z?_[^/]+\.jsonl$/;

/** pi: ~/.pi with agent/sessions, or one session. */
export const pi: Source = {
  name: "pi",
  title: "pi",
  where: "~/.pi",
  addsText: true,
  async recognise(path) {
    const files = (await kindOf(path)) === "file" ? [path] : await findMarks(path, SESSION);
    for (const file of files) if (Head.safeParse(await readFirstLine(file)).success) return true;
    return false;
  },
  read: readPi,
};

async function readPi(path: string, onRead: OnRead): Promise<Found> {
  const found = createFound();
  const files = (await kindOf(path)) === "file" ? [path] : await findFiles(path, SESSION);
  for (const [index, file] of files.entries()) {
    onRead(index, files.length);
    const place = placeOf(path, file);
    const entries: PlacedEntry[] = [];
    let session = `pi:${place.replace(/^.*_|\.jsonl$/g, "")}`;
    let title: string | undefined;
    for await (const { number, value } of readJsonLines(file)) {
      const head = number === 1 ? Head.safeParse(value).data : undefined;
      if (head) session = `pi:${head.id}`;
      title = Named.safeParse(value).data?.name ?? title;
      entries.push({ place: `${place}:${number}`, value });
    }
    readTree(found, startTalk(found, session), entries, { file: place });
    if (title !== undefined && found.talks.has(session)) found.titles.set(session, title);
  }
  return found;
}
