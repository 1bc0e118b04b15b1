import fc from "fast-check";

// Few words, so that the same ones stand in many places.
const words = fc.constantFrom("likes tea", "keeps bees", "likes tea", "lives in Rome", "Age: 34", "x", "sails");
const nasty = fc.constantFrom(
  "a <!-- b",
  "# not a heading",
  "1. numbered",
  "> quoted",
  "`code` and **bold**",
  "trailing  ",
  "pipe | pipe",
  "---",
  "```",
  "~~~",
  "<div>",
  "\\- escaped",
  "[ ] task",
  "日本語の事実",
  "emoji 👩‍👩‍👧",
  "tab\there",
);
const text = fc.oneof({ weight: 6, arbitrary: words }, { weight: 2, arbitrary: nasty });
const bullet = fc.constantFrom("- ", "* ", "+ ", "1. ", "2) ", "-   ");
const indent = fc.constantFrom("", "", "", "  ", "    ", "\t");
const block = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(indent, bullet, text).map(([space, mark, fact]) => [`${space}${mark}${fact}`]) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("# Memory", "## Ana", "## Ben", "### Ana", "## Ana ##").map((line) => [line]),
  },
  { weight: 3, arbitrary: text.map((fact) => [fact]) },
  { weight: 4, arbitrary: fc.constant([""]) },
  { weight: 1, arbitrary: fc.tuple(indent, text).map(([space, fact]) => [`${space}\`\`\``, fact, `${space}\`\`\``]) },
  { weight: 1, arbitrary: fc.constant(["~~~", "- inside", "## inside", "~~~"]) },
  { weight: 1, arbitrary: fc.constant(["| a | b |", "|---|---|", "| 1 | 2 |"]) },
  { weight: 1, arbitrary: fc.constantFrom("---", "***", "===", "-----").map((line) => [line]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("<!-- a comment -->", "<!-- open", "-->", "<b>html</b>").map((line) => [line]),
  },
  { weight: 1, arbitrary: fc.tuple(indent, text).map(([space, fact]) => [`${space}${fact}`]) },
);
const ending = fc.constantFrom("\n", "\n", "\n", "\r\n");

/** Markdown that people, models and accidents write: any mix of lists, fences, tables, comments and odd line ends. */
export const document: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.tuple(block, ending), { maxLength: 12 }),
    fc.boolean(),
    fc.constantFrom("", "", "", "\uFEFF", "---\na: b\n---\n"),
  )
  .map(([blocks, hasEnd, head]) => {
    const body = blocks.map(([lines, end]) => lines.map((line) => `${line}${end}`).join("")).join("");
    return `${head}${hasEnd ? body : body.replace(/\r?\n$/, "")}`;
  });

/** A fact as someone would have it remembered. */
export const remembered: fc.Arbitrary<string> = fc.oneof(words, nasty);
