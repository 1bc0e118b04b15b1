import type { RankSettings } from "./rank-candidates.ts";

/** What a caller may set of the ranking; the rest is what measured best. */
export type RankRequest = { readonly [Key in keyof RankSettings]?: RankSettings[Key] | undefined };

const NO_DECAY = { halfLifeDays: 0, floor: 0.7 };

/** What measured best (bench/RESULTS.md) on several kinds of memories; each of these has a reason beyond them. */
const DEFAULT_RANKING: RankSettings = {
  vectorWeight: 0.3,
  textWeight: 0.7,
  fusion: "weighted",
  decay: { memory: NO_DECAY, docs: NO_DECAY },
  // In talk the words that a question uses often stand in the message before or after the one that answers.
  neighbours: [0.5, 0.3, 0.15],
  speaker: 1.4,
  // What the model answered is long and says again what the person said; the person's words are the source.
  assistant: 0.4,
  // Only what says as much as the talk does: it must not push aside what is not in it.
  believed: 1.2,
  question: 0.3,
  period: 3,
  learned: true,
};

/** Configured weights count together: one that is missing is what the other leaves. */
export function completeSettings(given: RankRequest): RankSettings {
  const { vectorWeight, textWeight } = given;
  const fallback = DEFAULT_RANKING;
  return {
    vectorWeight: vectorWeight ?? (textWeight === undefined ? fallback.vectorWeight : 1 - textWeight),
    textWeight: textWeight ?? (vectorWeight === undefined ? fallback.textWeight : 1 - vectorWeight),
    fusion: given.fusion ?? fallback.fusion,
    decay: given.decay ?? fallback.decay,
    neighbours: given.neighbours ?? fallback.neighbours,
    speaker: given.speaker ?? fallback.speaker,
    assistant: given.assistant ?? fallback.assistant,
    believed: given.believed ?? fallback.believed,
    question: given.question ?? fallback.question,
    period: given.period ?? fallback.period,
    learned: given.learned ?? fallback.learned,
  };
}
