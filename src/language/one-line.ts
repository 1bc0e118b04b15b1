/** Text as facts are compared: white space does not count. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
