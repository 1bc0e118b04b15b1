import { useState } from "preact/hooks";
import type { ForgetPreview, ForgetReceipt } from "../../server/inspector/forget-shapes.ts";
import type { ViewProps } from "../app.tsx";
import { ask, sentenceFor } from "../ask.ts";
import { tellChange } from "../live.ts";
import { Plain } from "../words.tsx";
import { Preview } from "./forget/preview.tsx";
import { Receipt } from "./forget/receipt.tsx";

const WAYS = [
  { name: "text", label: "These words", hint: "every fact, entry and message that contains them" },
  { name: "person", label: "A person", hint: "everything that names them" },
  { name: "session", label: "A session", hint: "a whole conversation, by its key, such as telegram:ana" },
  { name: "since", label: "Everything since a day", hint: "what was said and written from then on" },
] as const;
type Way = (typeof WAYS)[number]["name"];

/** Forgets for good: first everything that would go, then a typed word, then the receipt. */
export function ForgetView({ frame }: ViewProps) {
  const [way, setWay] = useState<Way>("text");
  const [what, setWhat] = useState("");
  const [preview, setPreview] = useState<{ way: Way; what: string; found: ForgetPreview }>();
  const [receipt, setReceipt] = useState<ForgetReceipt>();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(sentenceFor(failure));
    }
    setBusy(false);
  };
  const look = () =>
    attempt(async () => {
      setReceipt(undefined);
      setPreview({ way, what, found: await ask("previewForget", { body: { [way]: what.trim() } }) });
    });
  const forget = () =>
    attempt(async () => {
      if (!preview) return;
      const done = await ask("forget", { body: { [preview.way]: preview.what.trim(), confirm: "forget" } });
      setPreview(undefined);
      setReceipt(done);
      setWhat("");
      tellChange();
    });
  const chosen = WAYS.find(({ name }) => name === way);
  return (
    <>
      <p class="note">
        Retiring a fact keeps what was said. Forgetting removes it from everything: facts, diary, notes, conversations,
        records, the index. It cannot be undone.
      </p>
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
      >
        <fieldset class="ways">
          <legend>What to forget</legend>
          {WAYS.map(({ name, label }) => (
            <label key={name} class="check">
              <input type="radio" name="way" value={name} checked={way === name} onChange={() => setWay(name)} />{" "}
              {label}
            </label>
          ))}
        </fieldset>
        <div class="bar low">
          <label class="field grow">
            {chosen?.hint}
            {way === "since" ? (
              <input type="date" value={what} required onInput={(event) => setWhat(event.currentTarget.value)} />
            ) : (
              <input value={what} required dir="auto" onInput={(event) => setWhat(event.currentTarget.value)} />
            )}
          </label>
          <button type="submit" class="primary" disabled={isBusy}>
            Show what would go
          </button>
        </div>
      </form>
      {error !== undefined && (
        <p class="failed" role="alert">
          <Plain text={error} />
        </p>
      )}
      {isBusy && <p class="note">Searching everything…</p>}
      {preview && (
        <Preview preview={preview.found} isReadOnly={frame.isReadOnly} isBusy={isBusy} onForget={() => void forget()} />
      )}
      {receipt && <Receipt receipt={receipt} />}
    </>
  );
}
