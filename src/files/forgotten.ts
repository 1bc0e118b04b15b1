import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import { textsIn } from "../language/texts-in.ts";
import type { Documents } from "../store/documents.ts";
import { stripInvisible } from "../visible-text.ts";
import { OWN_FOLDER } from "../layout.ts";

const Forgotten = z.object({ version: z.literal(1), salt: z.string().min(32), hashes: z.array(z.string()) });
type Forgotten = z.infer<typeof Forgotten>;

const PLACE = `${OWN_FOLDER}/forgotten.json`;
// What is shorter is said by many, and more than once: to leave it out would lose something new.
const SHORTEST_TEXT = 12;

/** Keeps salted hashes of what was forgotten, so that it is known again when a client sends it once more. */
export async function noteForgotten(documents: Documents, texts: readonly string[]): Promise<void> {
  const long = texts.filter((text) => fold(text).length >= SHORTEST_TEXT);
  if (long.length === 0) return;
  const { salt, hashes } = await load(documents);
  const all = new Set([...hashes, ...long.map((text) => hash(salt, text))]);
  await documents.write(PLACE, JSON.stringify({ version: 1, salt, hashes: [...all] }));
}

/** Tells whether a text was forgotten. */
export async function loadForgotten(documents: Documents): Promise<(text: string) => boolean> {
  const { salt, hashes } = await load(documents);
  if (hashes.length === 0) return () => false;
  const known = new Set(hashes);
  return (text) => known.has(hash(salt, text));
}

const MARK_PLACE = `${OWN_FOLDER}/last-forgetting`;

/** Tells whoever asked a model before that what the model was shown may be forgotten by now. */
export async function markForgetting(documents: Documents): Promise<void> {
  await documents.write(MARK_PLACE, randomBytes(8).toString("hex"));
}

/** Another one than before if something was forgotten since. */
export async function readForgettingMark(documents: Documents): Promise<string> {
  return (await documents.read(MARK_PLACE)) ?? "";
}

/** Every text of a message's content, as one. */
export function allText(content: unknown): string {
  return textsIn(content).join(" ");
}

async function load(documents: Documents): Promise<Forgotten> {
  const text = await documents.read(PLACE);
  if (text !== undefined) return Forgotten.parse(JSON.parse(text));
  return { version: 1, salt: randomBytes(32).toString("hex"), hashes: [] };
}

function hash(salt: string, text: string): string {
  return createHmac("sha256", salt).update(fold(text)).digest("hex");
}

function fold(text: string): string {
  return stripInvisible(text.normalize("NFKC")).toLowerCase().replaceAll(/\s+/g, " ").trim();
}
