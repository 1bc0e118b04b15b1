import { contentWords, shareOf } from "../language/content-words.ts";
import { speechKind } from "../language/speech-kind.ts";
import type { Hit } from "../recall/recall.ts";

/** As much of a question may be in the one that is asked until it counts as the same one. */
const SAME_SHARE = 0.5;

/** How many more are gathered than are shown, so that some are left when the questions among them are gone. */
export const MORE_GATHERED = 20;

/** The hits without what the user only asked: a question like the one that is asked answers nothing. */
export function tellingHits<T extends Pick<Hit, "session" | "text">>(question: string, hits: readonly T[]): T[] {
  const asked = contentWords(question);
  return hits.filter(
    ({ session, text }) =>
      session === "" || speechKind(text, "person") !== "question" || !isLike(contentWords(text), asked),
  );
}

/** What stands in a request already, by its words: it need not be recalled. */
export function unseenHits<T extends Pick<Hit, "session" | "text">>(seen: readonly string[], hits: readonly T[]): T[] {
  const known = new Set(seen.map(spelled));
  return hits.filter(({ session, text }) => session === "" || !known.has(spelled(text)));
}

function isLike(said: ReadonlySet<string>, asked: ReadonlySet<string>): boolean {
  return said.size === 0 || shareOf(said, asked) >= SAME_SHARE;
}

function spelled(text: string): string {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(" ");
}
