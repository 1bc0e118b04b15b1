/** What was typed into each field of a form; files are no text. */
export function formText(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value.trim() : ""]),
  );
}
