import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

describe("the AI SDK's door", () => {
  it("has types that compile where libraries are checked as well", { timeout: 120_000 }, async () => {
    const compiler = join(import.meta.dirname, "../../node_modules/.bin/tsc");
    await expect(promisify(execFile)(compiler, ["-p", join(import.meta.dirname, "types")])).resolves.toMatchObject({
      stdout: "",
    });
  });
});
