/**
 * Below this it is doubtful that anything on record answers, and whoever reads the hits should be told so.
 * bench/RESULTS.md says how often it is wrong, either way.
 */
export const DOUBTFUL = 0.4;
