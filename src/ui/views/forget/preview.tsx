import { useState } from "preact/hooks";
import type { ForgetPreview } from "../../../server/inspector/forget-shapes.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { countOf } from "../../when.ts";
import { Plain } from "../../words.tsx";
import { Counts } from "./counts.tsx";

interface Props {
  preview: ForgetPreview;
  isReadOnly: boolean;
  isBusy: boolean;
  onForget: () => void;
}

const WORD = "forget";

/** Everything that would go, and the word that lets it. */
export function Preview({ preview, isReadOnly, isBusy, onForget }: Props) {
  const [typed, setTyped] = useState("");
  const { finds, near, counts } = preview;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total === 0 && finds.length === 0) {
    return (
      <>
        <p class="empty">Nothing on record contains this.</p>
        {near.length > 0 && <Near near={near} />}
      </>
    );
  }
  return (
    <section class="stack" aria-label="What would go">
      <h2>This would go</h2>
      <Counts counts={counts} />
      <VirtualList
        items={finds.map((find, index) => ({ ...find, key: String(index) }))}
        keyOf={({ key }) => key}
        guess={({ text }) => 60 + Math.ceil(text.length / 90) * 24}
        label={countOf(finds.length, "place")}
        render={({ path, text }) => (
          <div class="find">
            <p>
              <Plain text={text} />
            </p>
            <p class="small">
              <Plain text={path} />
            </p>
          </div>
        )}
      />
      {near.length > 0 && <Near near={near} />}
      {!isReadOnly && (
        <form
          class="bar confirm"
          onSubmit={(event) => {
            event.preventDefault();
            onForget();
          }}
        >
          <label class="field">
            Type “{WORD}” to confirm
            <input value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
          <button type="submit" class="danger" disabled={typed.trim().toLowerCase() !== WORD || isBusy}>
            Forget for good
          </button>
        </form>
      )}
    </section>
  );
}

function Near({ near }: Pick<ForgetPreview, "near">) {
  return (
    <details>
      <summary>
        {countOf(near.length, "place")} that only {near.length === 1 ? "says" : "say"} nearly the same, and{" "}
        {near.length === 1 ? "stays" : "stay"}
      </summary>
      <ul>
        {near.map(({ path, text }, index) => (
          <li class="find" key={`${path} ${index}`}>
            <p>
              <Plain text={text} />
            </p>
            <p class="small">
              <Plain text={path} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
