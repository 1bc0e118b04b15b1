import { z } from "zod";
import { describeError, describeIssue, MemoryError, systemCode } from "../errors.ts";
import type { Memory } from "../memory.ts";

/** Who uses a verb, and on what. */
export interface VerbCall {
  memory: Memory;
  /** The session that asks. */
  session: string;
  /** Who asks, for the log: a model's name, or the door. */
  by: string;
  /** What one result may take of the reader's context. */
  maxTokens: number;
  /** Messages that the reader has before its eyes; they are not found again. */
  seen?: ReadonlySet<string> | undefined;
  /** The last forgetting when the words of the call came in; when it is run, if that is left out. */
  heard?: string | undefined;
  /** Whether conversations may be read by the place that a search names. */
  readsTalk: boolean;
}

/** What a verb says: as text for a model, and as data for a program. */
export interface VerbAnswer {
  text: string;
  value: unknown;
  /** What was asked for was not done. */
  isRefused?: boolean;
}

/** Something that can be asked of a memory, described once for every door: agent, MCP, AI SDK, HTTP, command line. */
export interface Verb<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** The form of the data, where clients are told. */
  output?: z.ZodObject;
  /** Whether it only looks, adds something, or takes something away. */
  effect: "reads" | "adds" | "takes";
  isIdempotent?: boolean;
  run(input: unknown, call: VerbCall): Promise<VerbAnswer>;
}

/** Makes a verb of its description and what it does; what comes in is read by the schema, and null means left out. */
export function createVerb<Input extends z.ZodObject>(
  about: Omit<Verb<Input>, "run">,
  work: (input: z.infer<Input>, call: VerbCall) => Promise<VerbAnswer>,
): Verb<Input> {
  return {
    ...about,
    async run(input, call) {
      const read = about.input.safeParse(withoutNulls(input));
      if (!read.success) return refuse(describeIssues(read.error));
      try {
        return await work(read.data, call);
      } catch (error) {
        // Whatever went wrong, the reader can make something of it; our own bugs are not hidden.
        if (!(error instanceof MemoryError) && systemCode(error) === undefined) throw error;
        return refuse(describeError(error));
      }
    },
  };
}

function refuse(reason: string): VerbAnswer {
  return { text: `Error: ${reason}`, value: { error: reason }, isRefused: true };
}

function describeIssues({ issues }: z.ZodError): string {
  return issues.map((issue) => describeIssue(issue, "the value")).join("; ");
}

/** Some clients send null for an argument that is left out. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([name, each]) => [name, withoutNulls(each)]));
}
