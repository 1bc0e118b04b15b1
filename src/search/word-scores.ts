/** What the words of a question are worth in the passages that have any of them. */
export interface WordScores {
  /** How many passages have any. */
  readonly size: number;
  /** How many words are scored. */
  readonly words: number;
  /** A passage, in the order in which they were found. */
  passageAt(place: number): number;
  /** What its words are worth together. */
  totalAt(place: number): number;
  /** The place of a passage; -1 if it has none of the words. */
  placeOf(passage: number): number;
  /** What each word is worth there. */
  scoresAt(place: number): number[];
}

/** Scores on their way into one table. */
export interface WordScoresMaker {
  /** A word may be found in several forms: the best one counts. Words come one after the other. */
  raise(word: number, passage: number, score: number): void;
  finish(): WordScores;
}

// Passages have numbers that follow each other: multiplied, they spread over the whole table.
const SPREAD = 0x9e3779b1;

/**
 * Makes a table of scores for so many words; `expected` passages fit without making room. Thousands of passages are scored
 * for a question, and a map for each word would take longer than finding them.
 */
export function createWordScores(words: number, expected: number): WordScoresMaker {
  let room = 16;
  let shift = 27;
  const widen = (wanted: number) => {
    while (room < wanted) {
      room *= 2;
      shift--;
    }
  };
  widen(expected);
  // Twice as many slots as passages: a slot holds the place of a passage, counted from one.
  let slots = new Int32Array(2 * room);
  let passages = new Float64Array(room);
  let scores = new Float64Array(room * words);
  let size = 0;

  const slotOf = (passage: number): number => {
    let slot = Math.imul(passage, SPREAD) >>> shift;
    for (;;) {
      const place = slots[slot] ?? 0;
      if (place === 0 || passages[place - 1] === passage) return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
  };
  const grow = () => {
    const old = { passages, scores };
    widen(2 * room);
    slots = new Int32Array(2 * room);
    passages = new Float64Array(room);
    passages.set(old.passages);
    scores = new Float64Array(room * words);
    scores.set(old.scores);
    for (let place = 0; place < size; place++) slots[slotOf(passages[place] ?? 0)] = place + 1;
  };
  const placeOf = (passage: number) => (slots[slotOf(passage)] ?? 0) - 1;
  return {
    raise(word, passage, score) {
      let slot = slotOf(passage);
      if (slots[slot] === 0) {
        if (size === room) {
          grow();
          slot = slotOf(passage);
        }
        passages[size] = passage;
        slots[slot] = ++size;
      }
      const at = ((slots[slot] ?? 0) - 1) * words + word;
      if (score > (scores[at] ?? 0)) scores[at] = score;
    },
    finish() {
      const totals = new Float64Array(size);
      for (let place = 0; place < size; place++) {
        let total = 0;
        for (let word = 0; word < words; word++) total += scores[place * words + word] ?? 0;
        totals[place] = total;
      }
      return {
        size,
        words,
        passageAt: (place) => passages[place] ?? 0,
        totalAt: (place) => totals[place] ?? 0,
        placeOf,
        scoresAt(place) {
          const row: number[] = [];
          for (let at = place * words; at < (place + 1) * words; at++) row.push(scores[at] ?? 0);
          return row;
        },
      };
    },
  };
}
