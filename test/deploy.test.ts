import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { createProgram } from "../src/cli/main.ts";

const DEPLOY = join(import.meta.dirname, "../deploy");
const read = (name: string) => readFileSync(join(DEPLOY, name), "utf8");

const Container = z.looseObject({
  args: z.array(z.string()),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
  livenessProbe: z.looseObject({ httpGet: z.looseObject({ path: z.string() }) }).optional(),
  readinessProbe: z.looseObject({ httpGet: z.looseObject({ path: z.string() }) }).optional(),
  lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }).optional(),
  securityContext: z.looseObject({ allowPrivilegeEscalation: z.boolean(), readOnlyRootFilesystem: z.boolean() }),
});
const Deployment = z.looseObject({
  kind: z.literal("Deployment"),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.looseObject({ runAsNonRoot: z.boolean() }),
        containers: z.array(Container),
      }),
    }),
  }),
});

/** The flags that a command line names, with the command that they are for. */
function unknownFlags(words: readonly string[]): string[] {
  const command = createProgram().commands.find((each) => words.includes(each.name()));
  expect(command, words.join(" ")).toBeDefined();
  const known = new Set(command?.options.flatMap(({ long, short }) => [long, short]));
  return words.filter((word) => /^--?[a-z]/.test(word) && !known.has(word));
}

/** How long turns may go on when the server is told to stop, as it is by itself. */
function usualDrain(): number {
  const serve = createProgram().commands.find((each) => each.name() === "serve");
  return z.number().parse(serve?.options.find(({ long }) => long === "--drain")?.defaultValue);
}

const pods = parseAllDocuments(read("kubernetes/tidemark.yaml")).flatMap((document) => {
  const parsed = Deployment.safeParse(document.toJS());
  return parsed.success ? [parsed.data.spec.template.spec] : [];
});

describe("what is there to deploy it", () => {
  it("names only commands and flags that there are", () => {
    expect(pods).toHaveLength(2);
    for (const { containers } of pods) for (const { args } of containers) expect(unknownFlags(args)).toEqual([]);
    const [, exec = ""] = /^ExecStart=.*?tidemark (.*)$/m.exec(read("tidemark.service")) ?? [];
    expect(unknownFlags(exec.split(" "))).toEqual([]);
    const commands = [...read("compose.yaml").matchAll(/tidemark\.js (.*)$/gm)].map(([, line = ""]) => line.split(" "));
    expect(commands.map((words) => unknownFlags(words))).toEqual([[], []]);
    const [, words = "[]"] = /^CMD (\[.*\])$/m.exec(read("Dockerfile")) ?? [];
    expect(unknownFlags(z.array(z.string()).parse(JSON.parse(words)))).toEqual([]);
  });

  it("is killed only after it could drain", () => {
    for (const { containers, terminationGracePeriodSeconds } of pods) {
      for (const { args, lifecycle } of containers) {
        const asked = args[args.findIndex((word) => word === "--drain" || word === "--wait") + 1];
        const before = lifecycle?.preStop.sleep.seconds ?? 0;
        expect(terminationGracePeriodSeconds).toBeGreaterThan(before + Number(asked) + 5);
      }
    }
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read("tidemark.service")) ?? [];
    expect(Number(seconds)).toBeGreaterThan(usualDrain() + 5);
    const { services } = z
      .object({ services: z.record(z.string(), z.looseObject({ stop_grace_period: z.string() })) })
      .parse(parse(read("compose.yaml"), { merge: true }));
    expect(Number.parseInt(services["server"]?.stop_grace_period ?? "", 10)).toBeGreaterThan(usualDrain() + 5);
  });

  it("is probed where it answers, runs as nobody, and finds its secrets outside of the files", () => {
    const [server] = pods[0]?.containers ?? [];
    expect(server?.livenessProbe?.httpGet.path).toBe("/healthz");
    expect(server?.readinessProbe?.httpGet.path).toBe("/readyz");
    for (const { securityContext, containers } of pods) {
      expect(securityContext.runAsNonRoot).toBe(true);
      for (const each of containers) {
        expect(each.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
        expect(each.env.filter(({ value }) => value !== undefined)).toEqual([]);
      }
    }
    expect(read("Dockerfile")).toMatch(/^USER 65532:65532$/m);
    expect(read("tidemark.service")).toMatch(/^DynamicUser=yes$/m);
  });
});
