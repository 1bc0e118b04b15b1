import { createHash } from "node:crypto";
import { z } from "zod";
import type { MessageInput } from "./message.ts";

const LONGEST_TOOL_RESULT = 16_000;
// Each file takes its time to write; a message full of scraps keeps most of them in its text.
const SMALL_BYTES = 1024;
const MOST_SMALL = 100;

/** Something too large for a session, kept whole in a file of its own. */
export interface Attachment {
  name: string;
  bytes: Buffer;
}

/** What of a message is stored, and what goes beside it; undefined when there is nothing worth storing. */
export function trimMessage(
  message: MessageInput,
  folder: string,
): { message: MessageInput; attachments: Attachment[] } | undefined {
  if (isEmptyAnswer(message)) return undefined;
  const attachments = new Map<string, Attachment>();
  const keep: Keep = (bytes, extension) => {
    if (bytes.length === 0 || (bytes.length < SMALL_BYTES && attachments.size >= MOST_SMALL)) return undefined;
    // Named by content: the same picture said twice is one file.
    const name = `${createHash("sha256").update(bytes).digest("hex").slice(0, 24)}.${extension}`;
    attachments.set(name, { name, bytes });
    return `${folder}/${name}`;
  };
  const { content: said, ...rest } = message;
  const content = cutResult(withoutImages(said, keep), message, keep);
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) fields[name] = withoutDataUrls(value, keep);
  return {
    message: { ...message, ...fields, ...(content === undefined ? {} : { content }) },
    attachments: [...attachments.values()],
  };
}

/** Keeps bytes in a file, and says in which; undefined where there are none, or they are better left where they stand. */
type Keep = (bytes: Buffer, extension: string) => string | undefined;

function isEmptyAnswer(message: MessageInput): boolean {
  if (message.role !== "assistant" || (message.tool_calls?.length ?? 0) > 0) return false;
  if (typeof message.content === "string") return message.content.trim() === "";
  return (message.content ?? []).every((part) => TextPart.safeParse(part).data?.text.trim() === "");
}

// Wrapped at any width: lines of base64 are long, so that the words after it are not taken for more of it.
const DATA_URL =
  /data:([a-z]+)\/([a-z0-9.+-]+)(?:;[a-z0-9=._-]+)*;base64,((?:[A-Za-z0-9+/_-]{40,}\s+)*[A-Za-z0-9+/_-]*={0,2})/gi;
const TextPart = z.looseObject({ type: z.literal("text"), text: z.string() });

function withoutImages(content: MessageInput["content"], keep: Keep): MessageInput["content"] {
  if (typeof content === "string") return replaceDataUrls(content, keep);
  if (!Array.isArray(content)) return content;
  return content.map((part) => replaceImagePart(part, keep));
}

function replaceImagePart(part: unknown, keep: Keep): unknown {
  if (typeof part === "string") return replaceDataUrls(part, keep);
  if (typeof part !== "object" || part === null) return part;
  if ("type" in part && part.type === "text" && "text" in part && typeof part.text === "string") {
    return { ...part, text: replaceDataUrls(part.text, keep) };
  }
  const found = findBinary(part);
  if (!found) return part;
  if (found.kind === "url") return { type: "text", text: replaceDataUrls(found.text, keep) };
  const path = keep(found.bytes, extensionFor(found.mediaType));
  return { type: "text", text: `[${nounFor(found.mediaType)}${path === undefined ? "" : `: ${path}`}]` };
}

/** Data URLs anywhere in the other fields of a message, calls and their arguments included. */
function withoutDataUrls(value: unknown, keep: Keep): unknown {
  if (typeof value === "string") return replaceDataUrls(value, keep);
  if (Array.isArray(value)) return value.map((each) => withoutDataUrls(each, keep));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutDataUrls(each, keep)]));
}

type Binary = { kind: "url"; text: string } | { kind: "bytes"; bytes: Buffer; mediaType: string };

// The shapes of OpenAI (image_url.url), the AI SDK (image, data) and Anthropic (source.data).
function findBinary(value: object): Binary | undefined {
  const mediaType = Object.entries(value).find(([name]) => /^(?:media_?type|mime_?type)$/i.test(name))?.[1];
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === "string" && /^data:[^,]{0,100};base64,/i.test(field)) return { kind: "url", text: field };
    if (field instanceof Uint8Array)
      return { kind: "bytes", bytes: Buffer.from(field), mediaType: String(mediaType ?? "image/png") };
    const isNamedData = /^(?:data|image|b64_json|base64)$/.test(name) && typeof field === "string";
    if (isNamedData && field.length > 64 && /^[A-Za-z0-9+/=_-]+$/.test(field)) {
      return { kind: "bytes", bytes: Buffer.from(field, "base64"), mediaType: String(mediaType ?? "image/png") };
    }
    if (typeof field === "object" && field !== null) {
      const inner = findBinary(field);
      if (inner) return inner;
    }
  }
  return undefined;
}

function replaceDataUrls(text: string, keep: Keep): string {
  if (!text.includes("base64,")) return text;
  return text.replaceAll(DATA_URL, (whole, type: string, subtype: string, data: string) => {
    const mediaType = `${type}/${subtype}`.toLowerCase();
    const path = keep(Buffer.from(data, "base64"), extensionFor(mediaType));
    return path === undefined ? whole : `[${nounFor(mediaType)}: ${path}]`;
  });
}

function nounFor(mediaType: string): string {
  return mediaType.startsWith("image/") ? "image" : "file";
}

function extensionFor(mediaType: string): string {
  const subtype = mediaType.split("/")[1] ?? "bin";
  return (
    subtype
      .replace("jpeg", "jpg")
      .replace(/\+.*$/, "")
      .replaceAll(/[^a-z0-9]/g, "") || "bin"
  );
}

function cutResult(content: MessageInput["content"], message: MessageInput, keep: Keep): MessageInput["content"] {
  if (message.role !== "tool") return content;
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  if (text.length <= LONGEST_TOOL_RESULT) return content;
  const path = keep(Buffer.from(text), "txt") ?? "no file";
  const head = text.slice(0, LONGEST_TOOL_RESULT).replace(/[\uD800-\uDBFF]$/, "");
  return `${head}\n[cut after ${LONGEST_TOOL_RESULT} of ${text.length} characters; the whole result is in ${path}]`;
}
