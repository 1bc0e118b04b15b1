import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { runCli } from "./run-cli.ts";

const demoFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("tidemark-demo-"));

it("tidemark demo digests, shows the change, answers, traces and undoes, and leaves nothing", async () => {
  const before = demoFolders();
  const { code, stdout, stderr } = await runCli(["demo"], { env: { TIDEMARK_MODEL: "openai/none" } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const steps = [
    "+ - “I live in Porto” (",
    "+ - “I have just moved to Lisbon” (",
    "> Where do I live now?\nI have just moved to Lisbon.\n  (said in demo:ana",
    "said in demo:ana, message",
    "(earlier: until ",
    "/undo takes back the last digest:\n- - “I have just moved to Lisbon” (",
  ].map((text) => stdout.lastIndexOf(text));
  expect(steps.every((at) => at >= 0)).toBe(true);
  expect(stdout).toMatch(/estuary\?\nWe decided .*12 December/);
  expect(demoFolders().filter((name) => !before.includes(name))).toEqual([]);
});
