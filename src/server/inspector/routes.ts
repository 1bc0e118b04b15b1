/** Where each operation of the inspector lies. The page asks by these, the server answers by them. */
export const ROUTES = {
  page: { method: "get", path: "/api/page", summary: "What the inspector shows around every view" },
  facts: {
    method: "get",
    path: "/api/facts",
    summary: "Each fact of a MEMORY.md, with who brought it, when and from which words",
  },
  story: {
    method: "get",
    path: "/api/facts/story",
    summary: "One fact's whole story: its words, its source, what it replaced, each time it came and went",
  },
  addFact: { method: "post", path: "/api/facts", summary: "Adds a fact to MEMORY.md on a person's behalf" },
  editFact: {
    method: "put",
    path: "/api/facts",
    summary: "Rewords a fact; a conflict if it was changed in the meantime",
  },
  retireFact: { method: "delete", path: "/api/facts", summary: "Takes a fact out of MEMORY.md; what was said stays" },
  files: { method: "get", path: "/api/files", summary: "The memory files: facts, diary and dated notes" },
  file: { method: "get", path: "/api/files/text", summary: "One memory file, as it is" },
  states: {
    method: "get",
    path: "/api/states",
    summary: "Every state that MEMORY.md was in, oldest first, without its text",
  },
  state: { method: "get", path: "/api/states/{id}", summary: "MEMORY.md as a change left it" },
  restore: {
    method: "post",
    path: "/api/states/{id}/restore",
    summary: "Restores an earlier MEMORY.md; a change like any other, which can be undone",
  },
  changes: {
    method: "get",
    path: "/api/changes",
    summary: "Digests, edits, notes, reviews and undos, newest first, with tokens and money",
  },
  change: {
    method: "get",
    path: "/api/changes/{id}",
    summary: "One of them in full: diff, evidence, and what the model answered",
  },
  undo: { method: "post", path: "/api/undo", summary: "Undoes a change, or a rejection" },
  review: {
    method: "get",
    path: "/api/review",
    summary: "What is waiting for a person, fact by fact, with evidence and reason",
  },
  decide: {
    method: "post",
    path: "/api/review/{change}",
    summary: "Accepts or rejects what is waiting, as it is or reworded",
  },
  talk: { method: "get", path: "/api/talk", summary: "Every session with its title, those that /new ended included" },
  transcript: {
    method: "get",
    path: "/api/talk/messages",
    summary: "What was said in a session, and the facts that each message became",
  },
  explain: {
    method: "get",
    path: "/api/explain",
    summary: "Searches, and says what each part of a score contributed; weights can be tried",
  },
  previewForget: {
    method: "post",
    path: "/api/forget/preview",
    summary: "Everything that forgetting this would remove, and what says nearly the same",
  },
  forget: {
    method: "post",
    path: "/api/forget",
    summary: "Forgets for good, and returns a receipt: what was removed and what was scanned",
  },
  health: {
    method: "get",
    path: "/api/health",
    summary: "Spending, prompts, jobs, failures, the loss ledger, the index",
  },
  doctor: {
    method: "get",
    path: "/api/doctor",
    summary: "What the doctor finds; a configured model is asked for one word",
  },
  enter: { method: "post", path: "/api/enter", summary: "Trades the token for the page's cookie" },
} as const;

export type RouteName = keyof typeof ROUTES;
