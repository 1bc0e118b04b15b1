import type { Found } from "./found.ts";

/** Tells how far the reading is, in files or conversations. */
export type OnRead = (done: number, total: number) => void;

/** A kind of folder or export that can be read. */
export interface Source {
  name: string;
  /** As its makers write it. */
  title: string;
  /** Where it usually lies, or what it is. */
  where: string;
  /** Whether a folder or file is of this kind, by names and first lines. */
  recognise(path: string): Promise<boolean>;
  read(path: string, onRead: OnRead): Promise<Found>;
  /** The program puts text of its own beside the user's words; it is taken out. */
  addsText: boolean;
}
