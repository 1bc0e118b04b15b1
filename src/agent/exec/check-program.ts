import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { confinePath } from "../confine.ts";
import type { ToolCall } from "../tool.ts";
import { expandWords } from "./expand-words.ts";
import type { Word } from "./expand-words.ts";
import type { ProgramCall } from "./run-programs.ts";
import { createView } from "./view.ts";

/**
 * The call of a real program that a person allowed. Arguments that name something this session may not see are refused;
 * that is a courtesy and no wall: what the program does with the others is up to the program.
 */
export async function checkProgram(
  call: ToolCall,
  folder: string,
  name: string,
  words: readonly Word[],
): Promise<ProgramCall> {
  const { memory, session } = call;
  const given = expandWords(createView(folder, memory.pathsOf(session)), words);
  for (const word of given) {
    for (const path of [word, word.replace(/^-[^=]*=/, ""), word.replace(/^-[A-Za-z]/, "")]) {
      const isPath = /[/\\]|\.\./.test(path) || existsSync(resolve(folder, path));
      // A single slash is a separator, as in -d/.
      if (isPath && path !== "/" && path !== "") await confinePath(memory, session, path);
    }
  }
  return { name, arguments: given };
}
