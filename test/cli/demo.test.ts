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
    "+ - User lives in Porto",
    "- - User lives in Porto\n+ - User lives in Lisbon",
    "> Where do I live now?\nUser lives in Lisbon\n  (said in demo:ana",
    "said in demo:ana, message",
    "“I have just moved to Lisbon.”",
    "“User lives in Porto” no longer:",
    "/undo takes back the last digest:\n- - User lives in Lisbon",
    "+ - User lives in Porto\n",
  ].map((text) => stdout.lastIndexOf(text));
  expect(steps.every((at) => at >= 0)).toBe(true);
  expect(stdout).toMatch(/estuary\?\nUser decided .*12 December/);
  expect(demoFolders().filter((name) => !before.includes(name))).toEqual([]);
});
