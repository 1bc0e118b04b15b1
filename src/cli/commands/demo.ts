import type { Command } from "commander";

/** Adds `demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command("demo")
    .description("a tour with made-up conversations, in a temporary folder; needs no model and no key")
    .action(async () => {
      const { runDemo } = await import("../terminal/run-demo.ts");
      await runDemo();
    });
}
