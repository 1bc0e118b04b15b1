/** How like a question the passages are. */
export interface Likeness {
  /** The cosine of a passage, or of a fact drawn from it if that is liker; undefined where there is no vector. */
  cosineOf(passage: number): number | undefined;
  /** At least so many of the likest passages, if there are so many; the likest first. */
  likest(count: number): number[];
}
