import { oneLine } from "../language/one-line.ts";
import { shorten } from "../visible-text.ts";

// In bytes, some 600 tokens in any script: it is sent with every request of the session.
const LONGEST_SUMMARY = 2400;
const LONGEST_LINE = 600;
const SHORT_LINE = 160;
const EARLIER = /^- \((\d+) earlier stretch(?:es)? (?:is|are) in the diary alone\.\)$/;

/**
 * The summary of a session with one more diary entry in it, newest last. It stays small: older stretches are told by their
 * first sentence, the oldest only counted. Everything is in the diary still.
 */
export function extendSummary(before: string, entry: string): string {
  const lines = before.split("\n").filter((line) => line.startsWith("- "));
  const counted = Number(EARLIER.exec(lines[0] ?? "")?.[1] ?? 0);
  const stretches = [...(counted > 0 ? lines.slice(1) : lines), `- ${shorten(summaryLine(entry), LONGEST_LINE)}`];
  for (let index = 0; index < stretches.length - 1 && sizeOf(stretches) > LONGEST_SUMMARY; index++) {
    stretches[index] = shorten(firstSentence(stretches[index] ?? ""), SHORT_LINE);
  }
  let dropped = counted;
  while (stretches.length > 1 && sizeOf(stretches) > LONGEST_SUMMARY) {
    stretches.shift();
    dropped++;
  }
  const head =
    dropped === 0
      ? []
      : [`- (${dropped} earlier ${dropped === 1 ? "stretch is" : "stretches are"} in the diary alone.)`];
  return [...head, ...stretches].join("\n");
}

/** What was archived as it was said is told by its head: the rest is the talk itself. */
function summaryLine(entry: string): string {
  const [head = ""] = entry.split("\n");
  return /^\[[^\]]*\] \[RAW\]/.test(head) ? `${head}, kept as they were said` : oneLine(entry);
}

function firstSentence(line: string): string {
  const [, time = "", text = ""] = /^(- (?:\[[^\]]*\] )?)(.*)$/.exec(line) ?? [];
  const [first] = new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text);
  return `${time}${first?.segment.trim() ?? text}`;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
