import { z } from "zod";

/** A session in the list. */
export const SessionLine = z.object({
  session: z.string(),
  /** The file in sessions/archive; null for the one that goes on. */
  archive: z.string().nullable(),
  title: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messages: z.number(),
  cursor: z.number(),
});
export type SessionLine = z.infer<typeof SessionLine>;

const Call = z.object({ id: z.string(), name: z.string(), arguments: z.string() });

/** A message as it is shown. */
export const TalkLine = z.object({
  id: z.string(),
  role: z.string(),
  name: z.string().nullable(),
  at: z.string().nullable(),
  text: z.string(),
  pictures: z.array(z.string()),
  calls: z.array(Call),
  answers: z.string().nullable().describe("the call that this is the result of"),
  facts: z.array(z.object({ fact: z.string(), isPresent: z.boolean() })),
});
export type TalkLine = z.infer<typeof TalkLine>;

/** A page of a session. */
export const Transcript = z.object({
  session: z.string(),
  archive: z.string().nullable(),
  title: z.string(),
  length: z.number(),
  cursor: z.number(),
  from: z.number(),
  messages: z.array(TalkLine),
});
export type Transcript = z.infer<typeof Transcript>;
