import { isHousekeeping } from "../src/door/is-housekeeping.ts";
import { withoutHarness } from "../src/door/without-harness.ts";
import { maskSecrets } from "../src/files/mask-secrets.ts";
import { keyWords } from "../src/language/similarity.ts";
import { estimateTokens } from "../src/model/estimate-tokens.ts";
import { markdownPassages } from "../src/search/markdown-passages.ts";
import { splitText } from "../src/search/split-text.ts";
import { parseQueryTerms, tokenise } from "../src/search/tokenise.ts";
import { fingerprints } from "../src/session/fingerprints.ts";
import { newMessages } from "../src/session/new-messages.ts";
import { parseLine } from "../src/session/log-line.ts";
import { trimMessage } from "../src/session/trim-message.ts";
import { diffLines } from "../src/lines.ts";

/** Texts of about a megabyte on which something careless takes forever. */
export const WORST_TEXTS: Readonly<Record<string, string>> = {
  "one letter": "a".repeat(1 << 20),
  "one Chinese character": "中".repeat(1 << 19),
  emoji: "😀".repeat(1 << 18),
  "family emoji": "👩‍👩‍👧‍👦".repeat(1 << 16),
  spaces: " ".repeat(1 << 20),
  "spaces and a letter": `${" ".repeat((1 << 20) - 1)}x`,
  "equals signs": "=".repeat(1 << 20),
  "dashes and slashes": "+/_-".repeat(1 << 18),
  "dotted letters": "a.".repeat(1 << 19),
  thousands: "1,000".repeat(200_000),
  digits: "1".repeat(1 << 20),
  "camel case": "aB".repeat(1 << 19),
  "small words": "ab ".repeat(350_000),
  accents: "e\u0301".repeat(1 << 18),
  "many accents on one letter": `e${"\u0301".repeat(1 << 19)}`,
  "empty lines": "\n".repeat(1 << 20),
  "list items": "- a\n".repeat(1 << 18),
  "open brackets": "[".repeat(1 << 20),
  "open comments": "<!--".repeat(1 << 18),
  "open thoughts": "<think>".repeat(150_000),
  "open reminders": "<system-reminder>".repeat(60_000),
  "quotation marks": '"'.repeat(1 << 20),
  "ends of sentences": ". ".repeat(1 << 19),
  "end marks": ".".repeat(1 << 20),
  "closing marks": `x.${'"'.repeat(1 << 20)}`,
  "one long line of words": "the quick brown fox jumps over the lazy dog ".repeat(24_000),
  base64: Buffer.from("the quick brown fox".repeat(40_000)).toString("base64"),
};

/** What works on text of any size that someone else made. */
export const WORST_FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  "estimating tokens": estimateTokens,
  "masking secrets": maskSecrets,
  "words for the index": tokenise,
  "words of a question": parseQueryTerms,
  "splitting into passages": (text) => splitText(text, 512, 64),
  "passages of a document": (text) => markdownPassages(text, "docs/worst.md", { chunkTokens: 512, chunkOverlap: 64 }),
  "words for likeness": keyWords,
  "the difference of two texts": (text) => {
    const half = text.slice(0, text.length / 2);
    return diffLines(half.replaceAll(/(.{40})/g, "$1\n"), text.slice(half.length).replaceAll(/(.{30})/g, "$1\n"));
  },
  "a line of a session": (text) => parseLine(Buffer.from(JSON.stringify({ role: "user", content: text })), 0),
  "a damaged line of a session": (text) => parseLine(Buffer.from(text), 0),
  "a message as it is stored": (text) => trimMessage({ role: "tool", content: text }, "sessions/files/x"),
  "a result with what a program hangs behind it": (text) => withoutHarness([{ role: "tool", content: `x${text}x` }]),
  "what a program asks for itself": (text) =>
    isHousekeeping({ system: text, newest: `x${text}x`, hasTools: false, hasAnswers: false, maxTokens: undefined }),
  "a message known again": (text) => fingerprints([{ role: "assistant", content: text }]),
  "what a client sent again": (text) =>
    newMessages([{ role: "user", content: text }], [{ role: "user", content: `${text}.` }]),
};
