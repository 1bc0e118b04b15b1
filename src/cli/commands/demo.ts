import type { Command } from "commander";

/** Adds `demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command("demo")
    .description("a tour on made-up talk, in a temporary folder; needs no model and no key")
    .action(async () => {
      const { runDemo } = await import("../terminal/run-demo.ts");
      await runDemo();
    });
}
