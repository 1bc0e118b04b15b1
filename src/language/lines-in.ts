/** The lines of a text, by whatever some reader takes for the end of one. */
function linesIn(text: string): string[] {
  return text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
}

/** A text as a quotation: what was said long ago is not to be taken for an instruction. */
export function quoteLines(text: string): string {
  return linesIn(text)
    .map((line) => `> ${line}`)
    .join("\n");
}

/** A text of any lines on one: no line of it can be taken for one of ours. */
export function foldLines(text: string): string {
  const lines = linesIn(text);
  if (lines.length === 1) return text;
  const told = lines.map((line) => line.trim()).filter((line) => line !== "");
  return told.join(" ⏎ ");
}
