import { maskSecrets } from "../files/mask-secrets.ts";
import type { RequestReport } from "../server/request-report.ts";
import { showJson } from "../visible-text.ts";
import { note } from "./print.ts";

/** Where a server says what happens to it. */
export interface ServerLog {
  /** Something that a person may want to know. */
  note(text: string): void;
  /** A step of its life: listening, draining, stopped. */
  step(event: string, text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Tells of each request; undefined where that is not wanted. */
  request: ((report: RequestReport) => void) | undefined;
}

/** Opens the log of a server on stderr: words for a person, or one JSON object a line, requests included. */
export function openServerLog(form: "text" | "json", write = writeLine, now = () => new Date()): ServerLog {
  if (form === "text") return { note, step: (_, text) => text !== "" && note(text), request: undefined };
  const line = (level: "info" | "warn" | "error", event: string, fields: Readonly<Record<string, unknown>>): void =>
    write(showJson(JSON.stringify({ time: now().toISOString(), level, event, pid: process.pid, ...fields })));
  return {
    note: (text) => line("warn", "notice", { text: maskSecrets(text) }),
    step: (event, _, fields = {}) => line("info", event, fields),
    request({ id, method, route, status, ms, isLeft }) {
      const left = isLeft ? { left: true } : {};
      line(status >= 500 ? "error" : "info", "request", {
        id,
        method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        ...left,
      });
    },
  };
}

function writeLine(text: string): void {
  process.stderr.write(`${text}\n`);
}
