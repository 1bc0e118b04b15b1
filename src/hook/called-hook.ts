/** A hook as it was called: whose, which one, when, and what the client said to it. */
export interface CalledHook {
  client: string;
  event: string;
  /** ISO 8601; with the rest it names what was said, so that it is stored once however often it is read. */
  at: string;
  /** As it came from the client's side; read where it is used. */
  input: string;
}

/** The clients whose transcripts we read; the others hand their words to the hook. */
export const WITH_TRANSCRIPTS: ReadonlySet<string> = new Set(["claude-code"]);
