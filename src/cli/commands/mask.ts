import { text } from "node:stream/consumers";
import type { Command } from "commander";

/** Adds `mask`. */
export function addMaskCommand(program: Command): void {
  program
    .command("mask")
    .description("mask keys, passwords and card numbers: reads standard input, writes standard output")
    .action(async () => {
      const { maskSecrets } = await import("../../files/mask-secrets.ts");
      process.stdout.write(maskSecrets(await text(process.stdin)));
    });
}
