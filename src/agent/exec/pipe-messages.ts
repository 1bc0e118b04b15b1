import { z } from "zod";
import type { OwnPlaces } from "../confine.ts";
import type { Word } from "./expand-words.ts";

/** What the thread is to do. */
export interface PipeStart {
  workspace: string;
  own: OwnPlaces;
  commands: { name: string; words: Word[] }[];
  input: string;
  now: number;
  maxCharacters: number;
}

/** What the thread says: text as it comes, and how it went. */
export const PipeReply = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("wrote"), text: z.string() }),
  z.object({ kind: z.literal("done"), status: z.number(), isCut: z.boolean(), files: z.array(z.string()) }),
  z.object({ kind: z.literal("refused"), reason: z.string() }),
]);
export type PipeReply = z.infer<typeof PipeReply>;
