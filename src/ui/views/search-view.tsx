import { useState } from "preact/hooks";
import type { ViewProps } from "../app.tsx";
import { formText } from "../parts/form-text.ts";
import { goTo } from "../route.ts";
import { HitList } from "./search/hit-list.tsx";
import type { Setting } from "./search/hit-list.tsx";

const FILTERS = ["since", "until", "project", "session", "origin"] as const;
const WEIGHT_STEP = 0.05;
const HALF = 0.5;

/** A question, what was found, and why in this order; under two settings side by side if wanted. */
export function SearchView({ route }: ViewProps) {
  const { rest } = route;
  const [isCompared, setCompared] = useState(false);
  const [setting, setSetting] = useState<Setting>({ vectorWeight: HALF, fusion: "weighted" });
  const question = rest["q"] ?? "";
  const filters = Object.fromEntries(FILTERS.map((name) => [name, rest[name]]));
  return (
    <>
      <form
        class="stack"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          ask(event.currentTarget);
        }}
      >
        <div class="bar">
          <label class="grow">
            <span class="hidden">Question</span>
            <input
              type="search"
              class="wide"
              name="q"
              key={question}
              defaultValue={question}
              placeholder="Where does Ana live now?"
              required
              dir="auto"
            />
          </label>
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        <details class="filters" open={FILTERS.some((name) => rest[name] !== undefined)}>
          <summary>Filters</summary>
          <div class="bar">
            <label class="field">
              From
              <input type="date" name="since" defaultValue={rest["since"] ?? ""} />
            </label>
            <label class="field">
              Until
              <input type="date" name="until" defaultValue={rest["until"] ?? ""} />
            </label>
            <label class="field">
              Project
              <input name="project" defaultValue={rest["project"] ?? ""} placeholder="a folder of docs, or _memory" />
            </label>
            <label class="field">
              Session
              <input name="session" defaultValue={rest["session"] ?? ""} placeholder="telegram:ana" />
            </label>
            <label class="field">
              Origin
              <select name="origin" defaultValue={rest["origin"] ?? ""}>
                <option value="">any</option>
                <option value="trusted">a person’s word</option>
                <option value="outside">from outside</option>
              </select>
            </label>
          </div>
        </details>
      </form>
      {question === "" && (
        <p class="empty">
          Ask in your own words. Facts, diary, notes, documents and everything that was said are searched, by words and
          by meaning.
        </p>
      )}
      {question !== "" && (
        <>
          <div class="bar">
            <label class="check">
              <input
                type="checkbox"
                checked={isCompared}
                onChange={(event) => setCompared(event.currentTarget.checked)}
              />{" "}
              Compare with other settings
            </label>
            {isCompared && <SettingFields setting={setting} onSetting={setSetting} />}
          </div>
          <div class={isCompared ? "columns" : "stack"}>
            <HitList title={isCompared ? "As configured" : undefined} question={question} filters={filters} />
            {isCompared && (
              <HitList
                title={`Meaning ${percent(setting.vectorWeight)}, words ${percent(1 - setting.vectorWeight)}`}
                question={question}
                filters={filters}
                setting={setting}
              />
            )}
          </div>
        </>
      )}
    </>
  );
}

function ask(form: HTMLFormElement): void {
  goTo("search", formText(form));
}

function SettingFields({ setting, onSetting }: { setting: Setting; onSetting: (setting: Setting) => void }) {
  return (
    <>
      <label class="check">
        Meaning against words
        <input
          type="range"
          min={0}
          max={1}
          step={WEIGHT_STEP}
          value={setting.vectorWeight}
          aria-valuetext={`${percent(setting.vectorWeight)} meaning`}
          onInput={(event) => onSetting({ ...setting, vectorWeight: event.currentTarget.valueAsNumber })}
        />
      </label>
      <label class="check">
        Combined
        <select
          value={setting.fusion}
          onChange={(event) =>
            onSetting({ ...setting, fusion: event.currentTarget.value === "rrf" ? "rrf" : "weighted" })
          }
        >
          <option value="weighted">by score</option>
          <option value="rrf">by rank</option>
        </select>
      </label>
    </>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
