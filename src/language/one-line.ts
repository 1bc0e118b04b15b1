/** Text as facts are compared: white space does not count. */
export function oneLine(text: string): string {
  // Most facts are one line already, and a memory may have many thousands.
  return /[^\S ]| {2}/.test(text) ? text.replaceAll(/\s+/g, " ").trim() : text.trim();
}
