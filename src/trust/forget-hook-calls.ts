import { basename } from "node:path";
import { z } from "zod";
import { OWN_FOLDER } from "../layout.ts";
import { FORGOTTEN } from "../session/message.ts";
import { parseJsonLine } from "../session/parse-json-line.ts";
import { parseTimestamp } from "../time.ts";
import { linesWithout } from "./lines-without.ts";
import type { ForgetMatch } from "./forget-match.ts";
import type { Work } from "./forget-places.ts";

const FOLDER = `${OWN_FOLDER}/hooks`;
const Call = z.looseObject({ client: z.string(), at: z.string(), input: z.string() });
const Input = z.looseObject({ session_id: z.string() });

/** Takes it out of what clients handed over and nobody has stored yet, of what is kept for their next start, and of failures. */
export async function forgetHookCalls(work: Work): Promise<number> {
  const { forgetting } = work.workspace.store;
  let count = 0;
  for (const path of await forgetting.list(FOLDER)) {
    const bytes = await forgetting.read(path);
    if (bytes === undefined) continue;
    const text = bytes.toString("utf8");
    const left = leftOf(path, text, work);
    if (left === text) continue;
    count++;
    work.finds.push({ path, text: left === undefined ? "(the whole file)" : "(what contains it)" });
    if (work.isTrial) continue;
    if (left === undefined) await forgetting.remove(path);
    else await forgetting.replace(path, left);
  }
  return count;
}

/** What a file is to say from now on; undefined where it goes. */
function leftOf(path: string, text: string, { match, workspace }: Work): string | undefined {
  const name = basename(path);
  // A copy of what a client is shown at its start; it is made again.
  if (name.startsWith("start.json")) return match.kind === "since" || match.hits(text) ? undefined : text;
  if (name.endsWith(".jsonl")) return match.hits(text) ? linesWithout(Buffer.from(text), match).toString() : text;
  if (!path.startsWith(`${FOLDER}/waiting/`)) return text;
  const call = Call.safeParse(parseJsonLine(text)).data;
  const input = call && Input.safeParse(parseJsonLine(call.input)).data;
  if (!call || !input) return match.kind === "since" || match.hits(text) ? undefined : text;
  if (match.isSession(`${call.client}:${input.session_id}`)) return undefined;
  if (match.isTime(parseTimestamp(call.at, workspace.timezone))) return undefined;
  const scrubbed = scrub(input, match);
  const isSame = JSON.stringify(scrubbed) === JSON.stringify(input);
  return isSame ? text : JSON.stringify({ ...call, input: JSON.stringify(scrubbed) });
}

/** What says which conversation it is stays: the rest of its words belong there. */
function scrub(value: unknown, match: ForgetMatch, name = ""): unknown {
  if (typeof value === "string")
    return !["session_id", "transcript_path", "id", "turn_id"].includes(name) && match.hits(value) ? FORGOTTEN : value;
  if (Array.isArray(value)) return value.map((each) => scrub(each, match, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, scrub(each, match, key)]));
}
