import { z } from "zod";
import { Message } from "./message.ts";
import { parseJsonLine } from "./parse-json-line.ts";

/** How far consolidation got, with the byte where the next message begins, so that what lies before need not be parsed. */
const TideMark = z.object({
  messages: z.number().int().nonnegative(),
  offset: z.number().int().nonnegative(),
});

/** The line that describes a session; the last one in the file counts. */
export const MetadataLine = z.looseObject({
  _type: z.literal("metadata"),
  key: z.string().optional().catch(undefined),
  created_at: z.string().optional().catch(undefined),
  updated_at: z.string().optional().catch(undefined),
  metadata: z.record(z.string(), z.unknown()).catch({}),
  // Ancestors and hand edits leave anything here; only an integer in range is believed.
  last_consolidated: z.unknown().optional(),
  tide_mark: TideMark.optional().catch(undefined),
});
export type MetadataLine = z.infer<typeof MetadataLine>;

/** A line of a session file, with the place where it stands. */
export type LogLine =
  | { kind: "message"; message: Message; offset: number }
  | { kind: "metadata"; metadata: MetadataLine; offset: number }
  /** Something that a newer version wrote: it is kept, and passed over. */
  | { kind: "unknown"; bytes: Buffer; offset: number }
  | { kind: "damaged"; bytes: Buffer; offset: number };

const OfAnyType = z.looseObject({ _type: z.string() });

/** Understands one line; undefined for a blank one. */
export function parseLine(bytes: Buffer, offset: number): LogLine | undefined {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (text.trim() === "") return undefined;
  const value = parseJsonLine(text);
  // Told apart first: a schema that does not fit costs several times one that does.
  const isMetadata = typeof value === "object" && value !== null && "_type" in value;
  const metadata = isMetadata ? MetadataLine.safeParse(value) : undefined;
  if (metadata?.success) return { kind: "metadata", metadata: metadata.data, offset };
  const message = Message.safeParse(value);
  if (message.success) return { kind: "message", message: message.data, offset };
  const { _type: type } = OfAnyType.safeParse(value).data ?? {};
  const isUnknown = type !== undefined && type !== "metadata";
  return { kind: isUnknown ? "unknown" : "damaged", bytes, offset };
}
