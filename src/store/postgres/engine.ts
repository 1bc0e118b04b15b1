import type { Connections } from "../store.ts";

/** A row as the driver gives it. */
export type Row = Record<string, unknown>;

/** The text in a column; empty where there is none. */
export function textIn(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : "";
}

/** What a statement may be given. */
export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];

/** One connection, within one transaction. */
export interface Connection {
  /** Without a limit where the statement may take or wait for minutes. */
  query(text: string, values?: readonly Value[], limit?: "without limit"): Promise<Row[]>;
  /** Says that nothing more is asked, so that the end of what only looks goes out with its statements. */
  finish?(): void;
}

/** A PostgreSQL, however it is reached. */
export interface Engine {
  /** Where it is, without what is secret. */
  readonly name: string;
  /**
   * Runs `work` in one transaction that begins with `begin`. What fails before the commit was sent is undone; where the
   * answer to the commit itself is lost, `confirm` is asked in a new transaction whether it was carried out; "again" does
   * it once more, for what only looks.
   */
  transaction<T>(
    begin: string,
    work: (connection: Connection) => Promise<T>,
    confirm?: Confirm<T> | "again",
  ): Promise<T>;
  connections?(): Connections;
  close(): Promise<void>;
}

/** Looks whether a transaction whose end is not known was carried out: what it gave, or undefined if it was not. */
export type Confirm<T> = (connection: Connection) => Promise<T | undefined>;
