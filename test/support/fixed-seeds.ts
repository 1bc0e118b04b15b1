import fc from "fast-check";
import { runs } from "./runs.ts";

const SEED = 20_261_115;

// The same cases on every machine at any time; the long suites look for new ones, and say with which seed.
const isLong = process.env["TIDEMARK_TEST_TIMES"] !== undefined;
const seed = isLong ? Date.now() % 2_147_483_647 : SEED;
fc.configureGlobal({ seed, ...runs(100) });
if (isLong) process.stderr.write(`seed ${seed}\n`);
