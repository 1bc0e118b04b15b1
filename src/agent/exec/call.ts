import { MemoryError, systemCode } from "../../errors.ts";
import type { Place, View } from "./view.ts";

/** One command of a pipe, at work. */
export interface Call {
  name: string;
  words: readonly string[];
  /** What the command before it wrote. */
  input: string;
  view: View;
  now: Date;
  write(text: string): void;
  /** What a program would write to its standard error. */
  warn(text: string): void;
}

/** A built-in command: what it writes, and its exit status. */
export type BuiltIn = (call: Call) => number;

/** A text that a command works on. */
export interface Source {
  name: string;
  text: string;
}

/** The texts that a command names, or what the command before it wrote; those that are not there are told. */
export function readSources(call: Call, paths: readonly string[]): Source[] {
  if (paths.length === 0) return [{ name: "", text: call.input }];
  return paths.flatMap((path) => {
    if (path === "-") return [{ name: "(standard input)", text: call.input }];
    const text = readPlace(call, call.view.locate(path));
    return text === undefined ? [] : [{ name: path, text }];
  });
}

/** The text of one file; when it cannot be read, that is told. */
export function readPlace(call: Call, place: Place): string | undefined {
  const info = call.view.stat(place);
  if (info === undefined) return missing(call, place.name);
  if (info.isDirectory()) {
    call.warn(`${call.name}: ${place.name}: Is a directory`);
    return undefined;
  }
  try {
    return call.view.read(place).toString("utf8");
  } catch (error) {
    if (!["ENOENT", "EACCES", "EPERM", "ELOOP"].includes(systemCode(error) ?? "")) throw error;
    call.warn(`${call.name}: ${place.name}: cannot be read`);
    return undefined;
  }
}

/** Tells that something is not there. */
export function missing(call: Call, path: string): undefined {
  call.warn(`${call.name}: ${path}: No such file or directory`);
}

/** The lines of a text, without their ends. */
export function toLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A command line that cannot be carried out. */
export function misuse(name: string, what: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${name}: ${what}`);
}

/** A count such as the 5 of `-n 5`. */
export function readCount(name: string, text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw misuse(name, `${JSON.stringify(text)} is not a number`);
  return Number(text);
}
