import type { Database } from "../database.ts";
import { inodeOf, openIndexFile, removeIndexFile } from "./index-file.ts";

/** The open index; it may become another file when the present one is deleted or found to be broken. */
export interface IndexHandle {
  readonly database: Database;
  /** How often it was begun anew. */
  readonly renewals: number;
  /** Runs the work on the index that has its name now: a new one if the file is gone. */
  run<T>(work: (database: Database) => T): T;
  /** Reads the index as it is at one moment, whoever writes meanwhile. */
  look<T>(work: (database: Database) => T): T;
  /** Begins an empty index. */
  renew(): void;
  /** Begins an empty index in place of a broken one, unless another process has done so. */
  replaceBroken(): void;
  close(): void;
}

/** Opens the index at `path`; `onRenew` is told whenever what is known of its content no longer holds. */
export function openIndexHandle(path: string, setting: string, onRenew: () => void): IndexHandle {
  let file = openIndexFile(path, setting);
  let renewals = 0;
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
    renewals++;
  };
  return {
    get database() {
      return file.database;
    },
    get renewals() {
      return renewals;
    },
    run(work) {
      if (inodeOf(path) !== file.inode) reopen();
      return work(file.database);
    },
    look(work) {
      const { database } = file;
      database.exec("BEGIN");
      try {
        const result = work(database);
        database.exec("COMMIT");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    renew,
    replaceBroken() {
      if (inodeOf(path) === file.inode) renew();
      else reopen();
    },
    close,
  };
}
