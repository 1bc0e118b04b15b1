import { SPEECH_KINDS, VOICES } from "../language/speech-kind.ts";
import type { SpeechKind, Voice } from "../language/speech-kind.ts";
import { withoutLabels } from "./without-labels.ts";

/** A piece of text that can be found: a message, a list item, a diary entry, a paragraph, or a part of a long one. */
export interface Passage {
  /** Ordinal, within its source, of the message or block that the text belongs to; parts of a long one share it. */
  readonly unit: number;
  readonly text: string;
  /** Where it stands: title and headings above it, joined by " › ". */
  readonly heading: string;
  /** When it was said or written, on the user's wall; undefined where nothing says so. */
  readonly date: WallDate | undefined;
  readonly startLine: number;
  readonly endLine: number;
  readonly voice: Voice;
  readonly kind: SpeechKind;
  /** Whether it holds from then on: a standing order or preference of a person. */
  readonly isStanding: boolean;
  readonly speaker: string;
  /** The message's id; empty for files. */
  readonly message: string;
}

/** What the index keeps of a passage in one number. */
export interface PassageTraits {
  readonly voice: Voice;
  readonly kind: SpeechKind;
  readonly isWholeDay: boolean;
  readonly isStanding: boolean;
}

/** The number of a passage's traits: two bits for the voice, two for the kind, one for the day, one for what stands. */
export function packTraits({ voice, kind, isWholeDay, isStanding }: PassageTraits): number {
  return VOICES.indexOf(voice) + 4 * SPEECH_KINDS.indexOf(kind) + (isWholeDay ? 16 : 0) + (isStanding ? 32 : 0);
}

/** What `packTraits` packed. */
export function unpackTraits(traits: number): PassageTraits {
  return {
    voice: VOICES[traits & 3] ?? "file",
    kind: SPEECH_KINDS[(traits >> 2) & 3] ?? "statement",
    isWholeDay: (traits & 16) !== 0,
    isStanding: (traits & 32) !== 0,
  };
}

/** A time on the user's wall: as text, and as milliseconds that count as if the wall stood in UTC. */
export interface WallDate {
  readonly text: string;
  readonly wallMs: number;
}

/** A time as it stands on the wall, `2026-11-15` or `2026-11-15T09:30:00`; undefined for what is not a date. */
export function parseWallDate(text: string): WallDate | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2}))?)?/.exec(text);
  if (!match?.[1]) return undefined;
  const plain = match[2] === undefined ? match[1] : `${match[1]}T${match[2]}:${match[3] ?? "00"}`;
  const wallMs = Date.parse(match[2] === undefined ? `${plain}T00:00:00Z` : `${plain}Z`);
  return Number.isNaN(wallMs) ? undefined : { text: plain, wallMs };
}

/** The text of a time on the wall, as `parseWallDate` gives it. */
export function formatWallDate(wallMs: number, isWholeDay: boolean): string {
  return new Date(wallMs).toISOString().slice(0, isWholeDay ? 10 : 19);
}

/** The text that a passage is embedded as: who says it, or under which heading it stands, belongs to its meaning. */
export function embeddedText({ heading, speaker, text }: Pick<Passage, "heading" | "speaker" | "text">): string {
  const said = withoutLabels(text);
  if (heading !== "") return `${heading}\n${said}`;
  return speaker === "" ? said : `${speaker}: ${said}`;
}
