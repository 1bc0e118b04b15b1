/** What people write where a secret belongs. */
export function isPlaceholder(value: string): boolean {
  if (/^[x*•.#_\-…]+$/i.test(value) || hasTwoCharacters(value)) return true;
  if (
    /^(?:\$[{(A-Z_a-z]|%[A-Za-z(]|\{\{?|\[|<)|^(?:process\.env|os\.environ|os\.getenv|env\.|env:|getenv|secrets\.|vars\.|config\.|settings\.|System\.getenv|ENV\[)/.test(
      value,
    )
  ) {
    return true;
  }
  return /(?:^|[_\-. ])(?:your|example|sample|dummy|placeholder|changeme|change|redacted|masked|insert|here|todo|xxx+|fake)(?:[_\-. ]|$)/i.test(
    value,
  );
}

/** Paths, addresses, types and calls say where a secret is, not what it is. */
export function isPointer(word: string): boolean {
  if (/^(?:https?:|\/\/|\/[\w.-]+\/|~\/|\.\.?\/|[A-Z]:\\)/.test(word) || /^[\w.$]+\(/.test(word)) return true;
  if (/^![a-z]+$/.test(word)) return true;
  if (/^[\w.+-]+@[\w-]+\.\w+$/.test(word) || /^(?:Uint|Int|Float)\d+Array$/.test(word)) return true;
  return /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(word) && !/\d/.test(word);
}

// A word, a number, a version, or a name of several words put together.
const WORDY =
  /^(?:[A-Z]?[a-z]+|[A-Z]+|v?\d{1,6}|[a-z]{1,6}\d{1,4}|(?:[a-z]{3,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,})*(?:[A-Z]?\d{1,4})?)$/;

/** Whether a text is too mixed to be words, a path, a version or a name. */
export function isRandom(value: string, leastLength = 12): boolean {
  if (!/[A-Za-z]/.test(value)) return false;
  if (!/\d/.test(value)) return isMixedCase(value);
  const parts = value.split(/[-_/.=+~:]+/).filter((part) => part !== "");
  const wordy = parts.filter((part) => WORDY.test(part));
  const random = value.length - wordy.join("").length;
  return random >= leastLength && entropy(value) >= Math.min(3, Math.log2(value.length) * 0.7);
}

/** Letters alone, but as no one writes words: the case changes all the time. */
function isMixedCase(value: string): boolean {
  if (value.length < 16 || /[^A-Za-z+/=_-]/.test(value)) return false;
  const changes = [...value.matchAll(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)].length;
  const words = value.match(/[A-Z]?[a-z]{3,}/g) ?? [];
  return changes >= value.length / 4 && words.join("").length < value.length / 2;
}

/** How many bits a character of the text carries. */
export function entropy(text: string): number {
  const counts = new Uint32Array(256);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) & 255;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Whether a value is made of one character or two. */
function hasTwoCharacters(value: string): boolean {
  return value !== "" && new Set(value.split("")).size <= 2;
}
