import { z } from "zod";

/** What was measured of one memory over one world. */
export const Measured = z.object({
  about: z.string(),
  questions: z.number(),
  frac10: z.number(),
  messages: z.number(),
  ingestMs: z.number(),
  questionMs: z.number(),
  diskBytes: z.number(),
  memoryMiB: z.number(),
  packages: z.number().optional(),
  megabytes: z.number().optional(),
});
export type Measured = z.infer<typeof Measured>;

/** All that was measured, by "embedder set name"; or why it was not. */
export const Measurements = z.record(z.string(), z.union([Measured, z.object({ failure: z.string() })]));
export type Measurements = z.infer<typeof Measurements>;

const OURS = "tidemark";

/** The comparison as a page. */
export function writeComparison(all: Measurements): string {
  const entries = Object.entries(all).map(([key, value]) => {
    const [embedder = "", set = "", name = ""] = key.split(" ");
    return { embedder, set, name, value };
  });
  const measured = entries.flatMap(({ value, ...key }) => ("failure" in value ? [] : [{ ...key, ...value }]));
  const tables = [...Map.groupBy(measured, ({ embedder }) => embedder)];
  return `# Comparison

Written by \`bench/peers/run.ts\`; run it to get your own figures. Quality is frac@10: the share of the labelled evidence among the
first ten messages, over the first world of each set. Every peer gets the same texts, one a message with its date and speaker
in front, and the same vectors. The number beside a set says how many questions with an answer were asked, spread evenly over
the world; where a peer was asked fewer, that stands beside its figure. Times were taken on a busy machine while other work ran: they say little, also beside each other.

Tidemark's learned ranking has seen these worlds; [bench/RESULTS.md](../bench/RESULTS.md) has the figures of worlds that it has
not, which are a point or two lower. Its time to take messages in includes the messages on the disk as files.

## Where others are ahead

${ahead(measured).join("\n")}

${tables.map(([embedder, rows]) => table(embedder, rows)).join("\n\n")}

Ingest is without embedding, but for the built-in table (\`local\`). Memory is the most that the process held, embedder included.
Packages and megabytes are what \`npm install\` of the peer brings.

## Settings

${[...new Set(measured.map(({ name, about }) => `- ${name}: ${about}`))].toSorted().join("\n")}

## Not measured

${notMeasured(entries).join("\n")}
`;
}

type Row = Measured & { readonly embedder: string; readonly set: string; readonly name: string };

function ahead(rows: readonly Row[]): string[] {
  const ours = new Map(rows.filter(({ name }) => name === OURS).map((row) => [`${row.embedder} ${row.set}`, row]));
  const others = rows.flatMap((row) => {
    const own = ours.get(`${row.embedder} ${row.set}`);
    return own && row.name !== OURS ? [{ row, own }] : [];
  });
  const better = others
    .filter(({ row, own }) => row.frac10 > own.frac10)
    .map(
      ({ row, own }) =>
        `- ${row.set}, ${row.embedder}: ${row.name} finds ${row.frac10.toFixed(3)}, Tidemark ${own.frac10.toFixed(3)}.`,
    );
  const compared = new Set(others.map(({ row }) => `${row.set}, ${row.embedder}`));
  const alone = [...new Set(rows.map((row) => `${row.set}, ${row.embedder}`))].filter((each) => !compared.has(each));
  const quicker = names(others.filter(({ row, own }) => row.questionMs < own.questionMs));
  const lighter = names(others.filter(({ row, own }) => row.ingestMs < own.ingestMs));
  const leaner = names(others.filter(({ row, own }) => row.memoryMiB < own.memoryMiB));
  return [
    ...(better.length > 0 ? better : ["- In quality, where Tidemark was measured as well: nobody."]),
    ...(alone.length > 0 ? [`- Not known, since Tidemark was not measured there: ${alone.join("; ")}.`] : []),
    ...(quicker === "" ? [] : [`- A question takes less time, on at least one world, in ${quicker}.`]),
    ...(lighter === "" ? [] : [`- Messages are taken in faster, on at least one world, by ${lighter}.`]),
    ...(leaner === "" ? [] : [`- Less memory is held, on at least one world, by ${leaner}.`]),
  ];
}

function names(pairs: readonly { row: Row }[]): string {
  return [...new Set(pairs.map(({ row }) => row.name))].toSorted().join(", ");
}

function table(embedder: string, rows: readonly Row[]): string {
  const sets = [...new Set(rows.map(({ set }) => set))];
  const lines = [...Map.groupBy(rows, ({ name }) => name)].map(([name, own]) => {
    const quality = sets.map((set) =>
      quote(
        own.find((row) => row.set === set),
        rows,
      ),
    );
    const messages = own.reduce((sum, row) => sum + row.messages, 0);
    const ingestMs = own.reduce((sum, row) => sum + row.ingestMs, 0);
    const questionMs = own.map((row) => row.questionMs).toSorted((one, other) => one - other)[own.length >> 1] ?? 0;
    const disk = own.reduce((sum, row) => sum + row.diskBytes, 0);
    return [
      name,
      ...quality,
      `${((ingestMs / messages) * 1_000).toFixed(0)} ms`,
      `${questionMs.toFixed(1)} ms`,
      `${((disk / messages) * 1e-3).toFixed(1)} MB`,
      `${Math.max(...own.map((row) => row.memoryMiB)).toFixed(0)} MiB`,
      own[0]?.packages ?? "–",
      own[0]?.megabytes ?? "–",
    ].join(" | ");
  });
  return `## With the embedder ${embedder}

| | ${sets.map((set) => `${set} (${mostAsked(rows, set)})`).join(" | ")} | 1,000 messages in | a question | disk for 1,000 | memory | packages | MB |
|---|${sets.map(() => "---|").join("")}---|---|---|---|---|---|
${lines.map((line) => `| ${line} |`).join("\n")}`;
}

function quote(row: Row | undefined, rows: readonly Row[]): string {
  if (!row) return "–";
  return row.questions < mostAsked(rows, row.set)
    ? `${row.frac10.toFixed(3)} (of ${row.questions})`
    : row.frac10.toFixed(3);
}

function mostAsked(rows: readonly Row[], set: string): number {
  return Math.max(...rows.filter((row) => row.set === set).map(({ questions }) => questions));
}

function notMeasured(entries: readonly { embedder: string; set: string; name: string; value: object }[]): string[] {
  const everyone = [...new Set(entries.map(({ name }) => name))];
  const failed = entries.flatMap(({ embedder, set, name, value }) =>
    "failure" in value ? [`- ${name}, ${set}, ${embedder}: ${String(value.failure)}`] : [],
  );
  const worlds = [...Map.groupBy(entries, ({ embedder, set }) => `${set}, ${embedder}`)];
  const missing = worlds.flatMap(([world, own]) => {
    const absent = everyone.filter((name) => !own.some((entry) => entry.name === name));
    return absent.length > 0 ? [`- ${world}: not run yet with ${absent.toSorted().join(", ")}.`] : [];
  });
  return [...failed, ...missing];
}
