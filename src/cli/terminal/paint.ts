import { chooseStyle } from "./style.ts";

/** Puts colour on a text that is on its way to a person. */
export type Paint = (text: string) => string;

/** What came in green, what went in red, the rest as it is. */
export function paintChanges(text: string): string {
  const style = chooseStyle(process.stdout, process.env);
  if (style.isPlain) return text;
  return text
    .split("\n")
    .map((line) => {
      if (/^\s*(?:\d+\. )?\+/.test(line)) return style.good(line);
      if (/^\s*(?:\d+\. )?-/.test(line)) return style.bad(line);
      if (line.startsWith("@@")) return style.accent(line);
      return line;
    })
    .join("\n");
}

/** The log: when and which in colour, then what came and went. */
export function paintLog(text: string): string {
  const style = chooseStyle(process.stdout, process.env);
  if (style.isPlain) return text;
  const heads = text.replaceAll(/^(\d{4}-\d{2}-\d{2} \d{2}:\d{2}) {2}(\S[^(]*?) {2}/gm, (_, at: string, ids: string) =>
    [style.dim(at), style.warn(ids), ""].join("  "),
  );
  return paintChanges(heads);
}
