import { MEMORY_FILE, scopeOfDocument } from "../layout.ts";
import type { Store } from "../store/store.ts";

/** A text of the workspace that a person edits elsewhere. */
export interface DocumentText {
  /** Empty where there is none. */
  read(): Promise<string>;
  /** Puts `text` in place of `expected`; false, with nothing touched, if MEMORY.md says something else by now. */
  replace(expected: string, text: string): Promise<boolean>;
}

/** How a text is read and replaced; MEMORY.md as by everyone who changes it, so that no save of another window is lost. */
export function createDocumentText(store: Store, path: string, before: string): DocumentText {
  const files = store.memoryFiles(scopeOfDocument(path));
  if (path === `${files.folder}/${MEMORY_FILE}`)
    return {
      read: () => files.readText(MEMORY_FILE, before),
      replace(expected, text) {
        // A person who writes here what was forgotten means it: it is no old window that brings it back.
        files.allowAgain(MEMORY_FILE, expected, text);
        return files.replace(MEMORY_FILE, expected, text);
      },
    };
  return {
    read: async () => (await store.documents.read(path)) ?? "",
    async replace(_, text) {
      await store.documents.write(path, text);
      return true;
    },
  };
}
