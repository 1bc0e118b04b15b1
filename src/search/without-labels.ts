/**
 * What a record says: "title: …", "datetime: …" line by line, or JSON, without its labels and without the values that are
 * only numbers. Every record of a feed has these, so that they make all of them alike. Other texts stay as they are.
 */
export function withoutLabels(text: string): string {
  const isJson = countUpTo(text, '":', LEAST_LABELS) >= LEAST_LABELS;
  const isLines = hasLabelledLines(text);
  if (!isJson && !isLines) return text;
  const lines = text.split("\n").map((line) => {
    const value = isLines ? line.replace(LINE_LABEL, "") : line;
    return isJson ? value.replaceAll(JSON_LABEL, " ") : value;
  });
  const said = lines.filter((line) => HAS_WORD.test(line)).join("\n");
  // Where there is no prose at all, as in the entry of an address book, the labels are what it means.
  return hasProse(said) ? said : text;
}

const LEAST_LABELS = 3;
const LINE_LABEL = /^\s*[\p{L}_][\p{L}\p{N}_ -]{0,30}:\s/u;
const JSON_LABEL = /"[\p{L}_][\p{L}\p{N}_ -]{0,30}":\s*/gu;
const HAS_WORD = /\p{L}{2}|\p{sc=Han}/u;
const HAS_HAN_PROSE = /\p{sc=Han}{6}/u;
const RUN = /(\p{L}+)|([\s,'’]+)|[^\p{L}\s,'’]+/gu;
const WORDS_OF_PROSE = 5;

/** Whether five words stand in a row. Run by run: a pattern for all five would begin anew with each letter of a long one. */
function hasProse(text: string): boolean {
  let words = 0;
  let isWord = false;
  for (const [, letters, gap] of text.matchAll(RUN)) {
    if (gap !== undefined && isWord) words++;
    if (words === WORDS_OF_PROSE) return true;
    isWord = letters !== undefined;
    if (!isWord && gap === undefined) words = 0;
  }
  return HAS_HAN_PROSE.test(text);
}

/** Whether most lines begin with a label of their own; in a copied talk the same names come again. */
function hasLabelledLines(text: string): boolean {
  if (countUpTo(text, ": ", LEAST_LABELS) < LEAST_LABELS) return false;
  const lines = text.split("\n");
  const labels = lines.flatMap((line) => LINE_LABEL.exec(line)?.[0] ?? []);
  return labels.length >= LEAST_LABELS && labels.length * 2 >= lines.length && new Set(labels).size === labels.length;
}

function countUpTo(text: string, part: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count < most; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
