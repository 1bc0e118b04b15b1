import fc from "fast-check";

const SEED = 20_261_115;

// The same cases on every machine at any time; the long suites look for new ones, and print the seed of what they find.
if (process.env["TIDEMARK_TEST_TIMES"] === undefined) fc.configureGlobal({ seed: SEED });
