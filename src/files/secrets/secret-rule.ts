/** Something in a text that may be a secret. */
export interface Candidate {
  kind: string;
  start: number;
  end: number;
}

/** Finds secrets of one family in a text, in time that grows with its length alone. */
export type SecretRule = (text: string) => Candidate[];

/** How one kind looks. The first group, where there is one, is the secret; else the whole match is. */
export interface Shape {
  kind: string;
  pattern: RegExp;
  /** What the text must hold for the pattern to be worth trying, in small letters. */
  needs?: readonly string[];
  isSecret?: (value: string, match: string) => boolean;
}

/** A rule out of shapes, each tried where the text holds what it needs. */
export function createShapeRule(shapes: readonly Shape[]): SecretRule {
  return (text) => {
    const small = text.toLowerCase();
    return shapes
      .filter(({ needs }) => needs === undefined || needs.some((part) => small.includes(part)))
      .flatMap(({ kind, pattern, isSecret }) =>
        [...text.matchAll(pattern)].flatMap((match) => {
          const value = match[1] ?? match[0];
          if (isSecret && !isSecret(value, match[0])) return [];
          const start = match.index + match[0].lastIndexOf(value);
          return [{ kind, start, end: start + value.length }];
        }),
      );
  };
}
