import type { z } from "zod";
import type { Operation, OperationInput } from "../api.ts";
import { MemoryError } from "../../errors.ts";
import { readHealth } from "./health-reads.ts";
import { ChangeId, CHANGES } from "./memory-changes.ts";
import { READS } from "./memory-reads.ts";
import { ROUTES } from "./routes.ts";
import type { RouteName } from "./routes.ts";
import { SCHEMAS } from "./schemas.ts";
import { TALK_READS } from "./talk-reads.ts";

/** What a person's page can do beyond the JSON API, described as the API's operations are. */
export const PAGE_OPERATIONS: readonly Operation[] = [
  operation("facts", (memory, { query }) => READS.facts(memory, query)),
  operation("story", (memory, { query }) => READS.story(memory, query)),
  operation("addFact", (memory, { body }) => CHANGES.addFact(memory, body)),
  operation("editFact", (memory, { body }) => CHANGES.editFact(memory, body)),
  operation("retireFact", (memory, { body }) => CHANGES.retireFact(memory, body)),
  operation("files", (memory, { query }) => READS.files(memory, query)),
  operation("file", (memory, { query }) => READS.file(memory, query)),
  operation("states", (memory, { query }) => READS.states(memory, query)),
  operation("state", (memory, { params }) => READS.state(memory, idIn(params))),
  operation("restore", (memory, { params }) => CHANGES.restore(memory, idIn(params))),
  operation("changes", (memory, { query }) => READS.changes(memory, query)),
  operation("change", (memory, { params }) => READS.change(memory, idIn(params))),
  operation("undo", (memory, { body }) => CHANGES.undo(memory, body)),
  operation("review", (memory) => READS.review(memory)),
  operation("decide", (memory, { params, body }) => CHANGES.decide(memory, params["change"] ?? "", body)),
  operation("talk", (memory) => TALK_READS.talk(memory)),
  operation("transcript", (memory, { query }) => TALK_READS.transcript(memory, query)),
  operation("explain", (memory, { query }) => READS.explain(memory, query)),
  operation("previewForget", (memory, { body }) => READS.previewForget(memory, body)),
  operation("forget", (memory, { body }) => CHANGES.forget(memory, body)),
  operation("health", (memory) => readHealth(memory, new Date())),
];

/** Paths under which something is changed in a person's name: they need the page's cookie or the token. */
export const PERSONAL_PATHS: readonly Pick<Operation, "method" | "path">[] = PAGE_OPERATIONS.filter(
  ({ method, path }) => method !== "get" && path !== ROUTES.previewForget.path,
);

function operation(name: RouteName, run: Operation["run"]): Operation {
  const schemas: { query?: z.ZodObject; body?: z.ZodObject; result: z.ZodType } = SCHEMAS[name];
  return { ...ROUTES[name], ...schemas, run };
}

function idIn(params: OperationInput["params"]): string {
  const id = ChangeId.safeParse(params["id"]);
  if (!id.success) throw new MemoryError("NOT_FOUND", "There is no such change");
  return id.data;
}
