import type { Database } from "../database.ts";
import { inodeOf, isBroken, openIndexFile, removeIndexFile } from "./index-file.ts";

/** The open index; it may become another file when the present one is deleted or found to be broken. */
export interface IndexHandle {
  readonly database: Database;
  /** Runs the work on a whole index: on a new one if the file is gone, and once more if it turns out to be broken. */
  run<T>(work: (database: Database) => T): T;
  /** Reads the index as it is at one moment, whoever writes meanwhile. */
  look<T>(work: (database: Database) => T): T;
  /** Begins an empty index. */
  renew(): void;
  close(): void;
}

/** Opens the index at `path`; `onRenew` is told whenever what is known of its content no longer holds. */
export function openIndexHandle(path: string, setting: string, onRenew: () => void): IndexHandle {
  let file = openIndexFile(path, setting);
  const close = () => {
    if (file.database.isOpen) file.database.close();
  };
  const reopen = () => {
    close();
    file = openIndexFile(path, setting);
    onRenew();
  };
  const renew = () => {
    close();
    removeIndexFile(path);
    reopen();
  };
  return {
    get database() {
      return file.database;
    },
    run(work) {
      if (inodeOf(path) !== file.inode) reopen();
      try {
        return work(file.database);
      } catch (error) {
        if (!isBroken(error)) throw error;
        renew();
        return work(file.database);
      }
    },
    look(work) {
      const { database } = file;
      database.exec("BEGIN");
      try {
        return work(database);
      } finally {
        database.exec("COMMIT");
      }
    },
    renew,
    close,
  };
}
