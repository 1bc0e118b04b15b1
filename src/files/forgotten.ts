import { createHmac, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { replaceFile } from "../disk.ts";
import { systemCode } from "../errors.ts";
import { stripInvisible } from "../visible-text.ts";
import { ownPath } from "../layout.ts";

const Forgotten = z.object({ version: z.literal(1), salt: z.string().min(32), hashes: z.array(z.string()) });
type Forgotten = z.infer<typeof Forgotten>;

// What is shorter is said by many, and more than once: to leave it out would lose something new.
const SHORTEST_TEXT = 12;

/** Keeps salted hashes of what was forgotten, so that it is known again when a client sends it once more. */
export async function noteForgotten(workspace: string, texts: readonly string[]): Promise<void> {
  const long = texts.filter((text) => fold(text).length >= SHORTEST_TEXT);
  if (long.length === 0) return;
  const { salt, hashes } = await load(workspace);
  const all = new Set([...hashes, ...long.map((text) => hash(salt, text))]);
  await replaceFile(pathOf(workspace), JSON.stringify({ version: 1, salt, hashes: [...all] }));
}

/** Tells whether a text was forgotten. */
export async function loadForgotten(workspace: string): Promise<(text: string) => boolean> {
  const { salt, hashes } = await load(workspace);
  if (hashes.length === 0) return () => false;
  const known = new Set(hashes);
  return (text) => known.has(hash(salt, text));
}

/** Every text of a message's content, as one. */
export function allText(content: unknown): string {
  return textsIn(content).join(" ");
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function pathOf(workspace: string): string {
  return ownPath(workspace, "forgotten.json");
}

async function load(workspace: string): Promise<Forgotten> {
  try {
    return Forgotten.parse(JSON.parse(await readFile(pathOf(workspace), "utf8")));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return { version: 1, salt: randomBytes(32).toString("hex"), hashes: [] };
  }
}

function hash(salt: string, text: string): string {
  return createHmac("sha256", salt).update(fold(text)).digest("hex");
}

function fold(text: string): string {
  return stripInvisible(text.normalize("NFKC")).toLowerCase().replaceAll(/\s+/g, " ").trim();
}
