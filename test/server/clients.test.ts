// @module-tag stores
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import type { ProviderReply } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

const FOLDER = join(import.meta.dirname, "clients");
const Recorded = z.array(
  z.object({ path: z.string(), headers: z.record(z.string(), z.string()), body: z.record(z.string(), z.unknown()) }),
);
/** The model's call, wherever it stands in the request that brings its result. */
const CALL_ID = /"(?:call_id|tool_use_id|tool_call_id)":"([^"]+)"/;
const CALL_NAME = /"name":"(exec_command|Bash|bash|run_shell_command|exec|run_commands)"/;

/**
 * Requests that the programs themselves have sent, run from npm against a scripted model: their shape, without the text
 * of their prompts. Each was asked to use its shell.
 */
describe.each(readdirSync(FOLDER).map((name) => name.replace(".json", "")))("%s", (name) => {
  const requests = Recorded.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")));

  it.each(["chat", "responses", "messages"] as const)(
    "is served by a model of %s, and only what was said is kept",
    async (wire) => {
      const withResult = JSON.stringify(requests.at(-1)?.body);
      // OpenClaw takes the underscores out of ids.
      const id = (CALL_ID.exec(withResult)?.[1] ?? "").replace(/^call(?!_)/, "call_");
      const tool = CALL_NAME.exec(withResult)?.[1] ?? "";
      const input: unknown = /echo tide/.test(withResult) ? inputOf(withResult) : {};
      const provider = await startProvider(({ body }): ProviderReply => {
        const text = JSON.stringify(body);
        if (text.includes("title generator")) return { text: "A title" };
        return CALL_ID.test(text) ? { text: "The shell said tide." } : { calls: [{ id, name: tool, input }] };
      });
      const memory = await open({ workspace: temporaryFolder(), config: provider.config(wire) });
      const url = await startServer(memory);
      for (const { path, headers, body } of requests) {
        const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
        const response = await fetch(`${url}${path}`, { ...init, body: JSON.stringify(body) });
        expect(response.status).toBe(200);
        await response.text();
      }
      // What the program adds is passed on.
      for (const mark of JSON.stringify(requests).match(
        /<(?:environment_context|system-reminder|current_datetime)>|BEGIN_OPENCLAW/g,
      ) ?? []) {
        expect(JSON.stringify(provider.requests.map(({ body }) => body))).toContain(mark);
      }
      const { sessions } = await memory.listSessions();
      expect(sessions.length).toBe(1);
      const session = await memory.session(sessions[0]?.key ?? "");
      const said = session
        .messages()
        .map(({ role, content }) => [role, typeof content === "string" ? content.trim() : content]);
      expect(said.slice(0, 4)).toEqual([
        ["user", expect.stringMatching(/^"?Please USE_THE_SHELL to say tide"?$/)],
        ["assistant", null],
        ["tool", expect.stringContaining("tide")],
        ["assistant", "The shell said tide."],
      ]);
      expect(said.slice(4)).toEqual(
        name === "openclaw"
          ? [
              ["user", "And what did the shell say?"],
              ["assistant", "The shell said tide."],
            ]
          : [],
      );
      // A call and its result belong together: all of it can be sent again.
      expect(session.history().length).toBe(said.length);
    },
  );
});

function inputOf(text: string): unknown {
  const [, whole] = /"(?:arguments)":("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  if (whole !== undefined) return JSON.parse(JSON.parse(whole) as string);
  const [, object] = /"input":(\{[^}]*\})/.exec(text) ?? [];
  return JSON.parse(object ?? "{}");
}
