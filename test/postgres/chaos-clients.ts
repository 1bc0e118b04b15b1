/** What a client said and was told is stored. */
export interface ClientBook {
  kind: "turns" | "shared" | "ends";
  who: number;
  session: string;
  /** What it said, in order, as far as it was acknowledged. */
  acknowledged: string[];
  /** The answers that it got, one for each of what it said. */
  answers: string[];
  /** What it said last, when it stopped without an acknowledgement. */
  open: string | undefined;
  tries: number;
  slowestMs: number;
}

const TIMEOUT_MS = 45_000;

/** A client of the OpenAI wire: it sends its whole history each time, and asks again until it has its answer. */
export async function talkInTurns(who: number, urls: readonly string[], over: AbortSignal): Promise<ClientBook> {
  const book = newBook("turns", who, `chaos:turns-${who}`);
  const history: { role: string; content: string }[] = [];
  for (let turn = 0; !over.aborted; turn++) {
    const words = `c${who} m${turn}`;
    const messages = [...history, { role: "user", content: words }];
    const answered = await insist(book, urls, over, words, (url, tries) =>
      post(`${url}/v1/chat/completions`, { messages }, over, {
        "x-tidemark-session": book.session,
        "x-stainless-retry-count": String(tries),
      }),
    );
    const answer = answerIn(answered);
    if (answer === undefined) break;
    book.acknowledged.push(words);
    book.answers.push(answer);
    history.push({ role: "user", content: words }, { role: "assistant", content: answer });
  }
  return book;
}

/** A client of the JSON API: two of them write to one session, each message with an id of its own. */
export async function writeTogether(who: number, urls: readonly string[], over: AbortSignal): Promise<ClientBook> {
  const book = newBook("shared", who, `chaos:shared-${who >> 1}`);
  for (let turn = 0; !over.aborted; turn++) if (!(await writeOne(book, turn, urls, over))) break;
  return book;
}

/** The same, but alone, and it ends its session again and again. */
export async function endAgainAndAgain(who: number, urls: readonly string[], over: AbortSignal): Promise<ClientBook> {
  const book = newBook("ends", who, `chaos:ends-${who}`);
  for (let turn = 0; !over.aborted; turn++) {
    if (!(await writeOne(book, turn, urls, over))) break;
    if (turn % 5 !== 4) continue;
    const path = `/api/sessions/${book.session}/new`;
    if ((await insist(book, urls, over, undefined, (url) => post(`${url}${path}`, {}, over))) === undefined) break;
  }
  return book;
}

async function writeOne(book: ClientBook, turn: number, urls: readonly string[], over: AbortSignal): Promise<boolean> {
  const words = `c${book.who} m${turn}`;
  const messages = [{ role: "user", content: words, id: `${book.who}-${turn}` }];
  const path = `/api/sessions/${book.session}/messages`;
  const done = await insist(book, urls, over, words, (url) => post(`${url}${path}`, { messages }, over));
  if (done !== undefined) book.acknowledged.push(words);
  return done !== undefined;
}

function newBook(kind: ClientBook["kind"], who: number, session: string): ClientBook {
  return { kind, who, session, acknowledged: [], answers: [], open: undefined, tries: 0, slowestMs: 0 };
}

/** Tries, at one server after the other, until one says yes; undefined when time is up first. */
async function insist(
  book: ClientBook,
  urls: readonly string[],
  over: AbortSignal,
  words: string | undefined,
  attempt: (url: string, tries: number) => Promise<unknown>,
): Promise<unknown> {
  const begun = performance.now();
  book.open = words;
  for (let tries = 0; !over.aborted; tries++) {
    book.tries++;
    const url = urls[(book.who + tries + Math.floor(Math.random() * 2)) % urls.length] ?? "";
    const done = await attempt(url, tries);
    if (done !== undefined) {
      book.open = undefined;
      book.slowestMs = Math.max(book.slowestMs, performance.now() - begun);
      return done;
    }
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 200));
  }
  return undefined;
}

/** What came back; undefined where it was no success, whatever the reason. */
async function post(
  url: string,
  body: unknown,
  over: AbortSignal,
  headers: Record<string, string> = {},
): Promise<unknown> {
  try {
    const signal = AbortSignal.any([over, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal });
    const value: unknown = await response.json();
    // A session that has just been ended need not be ended again.
    if (response.status === 404 && url.endsWith("/new")) return value;
    if (response.status < 500 && !response.ok) throw new Error(`${response.status} ${JSON.stringify(value)}`);
    return response.ok ? value : undefined;
  } catch (error) {
    if (error instanceof Error && /^4\d\d /.test(error.message)) throw error;
    return undefined;
  }
}

function answerIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("choices" in value) || !Array.isArray(value.choices))
    return undefined;
  const choice: unknown = value.choices[0];
  if (typeof choice !== "object" || choice === null || !("message" in choice)) return undefined;
  const { message } = choice;
  if (typeof message !== "object" || message === null || !("content" in message)) return undefined;
  return typeof message.content === "string" ? message.content : undefined;
}
