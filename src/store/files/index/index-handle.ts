import { MemoryError } from "../../../errors.ts";
import type { Database } from "../database.ts";
import { inodeOf, isUsable, openIndexFile } from "./index-file.ts";
import { removeIndexFile } from "./remove-index-file.ts";

/** The open index; it may become another file when the present one is deleted or found to be broken. */
export interface IndexHandle {
  readonly database: Database;
  /** Whether it is still as we made it: another process may have made it empty for another setting. */
  isOurs(): boolean;
  /** How often it was opened or begun anew. */
  readonly renewals: number;
  /** Runs the work on the index that has its name now, a new one if the file is gone, and is made for our setting. */
  run<T>(work: (database: Database) => T): T;
  /** Reads the index as it is at one moment, whoever writes meanwhile; an IndexTaken where it is not ours any more. */
  look<T>(work: (database: Database) => T): T;
  /** Begins an empty index. */
  renew(): void;
  /** Begins an empty index in place of a broken one, unless another process has done so. */
  replaceBroken(): void;
  close(): void;
}

/** Another process has made the index empty for another setting. */
export class IndexTaken extends MemoryError {
  constructor() {
    super("STATE_UNUSABLE", "Another process keeps making the index for another time zone or setting: ask again");
  }
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
    renewals++;
    onRenew();
  };
  const renew = () => {
    close();
    removeIndexFile(path);
    reopen();
  };
  const isOurs = () => isUsable(file.database, setting);
  return {
    get database() {
      return file.database;
    },
    get renewals() {
      return renewals;
    },
    isOurs,
    run(work) {
      if (inodeOf(path) !== file.inode || !isOurs()) reopen();
      return work(file.database);
    },
    look(work) {
      const { database } = file;
      database.exec("BEGIN");
      try {
        if (!isOurs()) throw new IndexTaken();
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
