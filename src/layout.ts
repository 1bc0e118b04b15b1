/** What is believed, in every prompt. */
export const MEMORY_FILE = "MEMORY.md";
/** The diary. */
export const HISTORY_FILE = "HISTORY.md";
/** The file beside MEMORY.md that says what it must and must not hold. */
export const EXPECTATIONS_FILE = "expect.yaml";
