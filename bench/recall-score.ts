/** What a search returned for one question, best first. */
export interface ScoredHit {
  readonly messages: readonly string[];
  readonly text: string;
}

/** The means over all questions that have evidence. */
export interface RecallScores {
  readonly questions: number;
  readonly frac5: number;
  readonly frac10: number;
  readonly all10: number;
  readonly frac1000t: number;
  readonly frac2000t: number;
  readonly mrr: number;
}

/** One question's results and the messages that answer it. */
export interface Judged {
  readonly hits: readonly ScoredHit[];
  readonly evidence: readonly string[];
}

/** Scores as the worlds' own `score.mjs` does: by message, and by tokens (four characters) of returned text. */
export function scoreRecall(judged: readonly Judged[]): RecallScores {
  const asked = judged.filter(({ evidence }) => evidence.length > 0);
  const mean = (score: (one: Judged) => number) =>
    asked.reduce((sum, one) => sum + score(one), 0) / (asked.length || 1);
  return {
    questions: asked.length,
    frac5: mean((one) => found(one, 5)),
    frac10: mean((one) => found(one, 10)),
    all10: mean((one) => (found(one, 10) === 1 ? 1 : 0)),
    frac1000t: mean((one) => foundWithin(one, 1_000)),
    frac2000t: mean((one) => foundWithin(one, 2_000)),
    mrr: mean(({ hits, evidence }) => {
      const first = hits.findIndex((hit) => hit.messages.some((message) => evidence.includes(message)));
      return first < 0 ? 0 : 1 / (first + 1);
    }),
  };
}

/** How well a score tells the questions that have an answer from those that have none: 1 is always, 0.5 is chance. */
export function areaUnderCurve(answered: readonly number[], unanswered: readonly number[]): number {
  let wins = 0;
  for (const one of answered) {
    for (const other of unanswered) wins += one > other ? 1 : one === other ? 0.5 : 0;
  }
  return wins / (answered.length * unanswered.length || 1);
}

function found({ hits, evidence }: Judged, places: number): number {
  const named = new Set(hits.flatMap((hit) => hit.messages).slice(0, places));
  return share(evidence, named);
}

function foundWithin({ hits, evidence }: Judged, tokens: number): number {
  const named = new Set<string>();
  let used = 0;
  for (const hit of hits) {
    used += Math.ceil(hit.text.length / 4);
    if (used > tokens) break;
    for (const message of hit.messages) named.add(message);
  }
  return share(evidence, named);
}

function share(evidence: readonly string[], named: ReadonlySet<string>): number {
  const gold = new Set(evidence);
  return [...gold].filter((message) => named.has(message)).length / gold.size;
}
