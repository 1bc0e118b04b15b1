import { z } from "zod";
import type { OwnPlaces } from "../confine.ts";

/** What the shell's thread is to run. */
export interface ShellStart {
  kind: "run";
  /** The folder on the disk, and the path that the shell shows it under. */
  folder: string;
  mount: string;
  own: OwnPlaces;
  script: string;
  /** The names of the commands that may be used. */
  allow: readonly string[];
  timezone: string;
  maxCharacters: number;
}

/** How a real program ended that the shell had called. Bytes are written as latin1. */
export interface ProgramEnd {
  kind: "ended";
  id: number;
  output: string;
  errors: string;
  status: number;
}

/** What the shell's thread says. */
export const ShellReply = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("program"),
    id: z.number(),
    name: z.string(),
    arguments: z.array(z.string()),
    /** Where it is called, from the workspace. */
    folder: z.string(),
    input: z.string(),
  }),
  z.object({
    kind: z.literal("done"),
    text: z.string(),
    status: z.number(),
    isCut: z.boolean(),
    files: z.array(z.string()),
    refused: z.array(z.string()),
  }),
]);
export type ShellReply = z.infer<typeof ShellReply>;
