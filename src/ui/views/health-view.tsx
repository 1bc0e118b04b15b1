import { useState } from "preact/hooks";
import type { Doctor, Health } from "../../server/inspector/health-shapes.ts";
import { ask, sentenceFor } from "../ask.ts";
import { hrefTo } from "../route.ts";
import { useQuery } from "../use-query.ts";
import { countOf, instantOf, number, whole } from "../when.ts";
import { Plain } from "../words.tsx";
import { LedgerBar } from "./health/ledger-bar.tsx";
import { SpendChart } from "./health/spend-chart.tsx";

/** How the memory fares: money, prompts, jobs, failures, what became of the facts, the index, what the doctor finds. */
export function HealthView() {
  const query = useQuery("health", (signal) => ask("health", { signal }), ["records", "memory", "talk"]);
  if (query.error !== undefined && !query.data) return <p class="failed">{query.error}</p>;
  if (query.data === undefined) return <p class="note">Measuring…</p>;
  const health = query.data;
  return (
    <div class="health-grid">
      <Numbers health={health} />
      <section class="card stack wide-card" aria-labelledby="spend">
        <h2 id="spend">Spending in the last 30 days</h2>
        <SpendChart spend={health.spend} />
      </section>
      <section class="card stack" aria-labelledby="ledger">
        <h2 id="ledger">What became of every fact</h2>
        <LedgerBar ledger={health.ledger} />
      </section>
      <section class="card stack" aria-labelledby="prompts">
        <h2 id="prompts">Prompts</h2>
        {health.prompts.share === null ? (
          <p class="note">No requests on record yet; the agent records each one.</p>
        ) : (
          <>
            <Meter label="the same as in the previous request" share={health.prompts.share} />
            <Meter
              label="cached by the provider"
              share={health.prompts.inputTokens === 0 ? 0 : health.prompts.cachedTokens / health.prompts.inputTokens}
            />
            <p class="small">over {countOf(health.prompts.requests, "request")}</p>
          </>
        )}
      </section>
      <section class="card stack" aria-labelledby="jobs">
        <h2 id="jobs">Jobs</h2>
        {health.jobs.length === 0 && <p class="note">No jobs are waiting.</p>}
        <ul class="plain-list">
          {health.jobs.map((job) => (
            <li key={job.name}>
              <Plain text={job.kind} />{" "}
              <span class={job.state === "dead" ? "tag warn" : "tag plain"}>{JOB_STATES[job.state]}</span>
              <span class="small">
                {" "}
                <Plain text={describeJob(job)} />
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section class="card stack" aria-labelledby="failures">
        <h2 id="failures">Failures</h2>
        {health.failures.length === 0 && <p class="note">No digest has failed.</p>}
        <ul class="plain-list">
          {health.failures.map((failure) => (
            <li key={failure.id}>
              <a href={hrefTo("timeline", { id: failure.id })}>{whenOf(failure.at)}</a>
              <span class="small">
                {" "}
                <Plain text={`${failure.session ?? ""}: ${failure.reason ?? ""}`} />
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section class="card stack" aria-labelledby="index">
        <h2 id="index">Index</h2>
        <dl class="figures">
          <dt>Passages</dt>
          <dd>{number(health.index.passages)}</dd>
          <dt>Vectors</dt>
          <dd>{number(health.index.vectors)}</dd>
          <dt>Files</dt>
          <dd>{number(health.index.sources)}</dd>
          <dt>Size</dt>
          <dd>{number(health.index.bytes / 1e6, 1)} MB</dd>
          <dt>Last look</dt>
          <dd>{number(health.index.syncMs)} ms</dd>
        </dl>
        {health.index.notes.map((note) => (
          <p class="small" key={note}>
            <Plain text={note} />
          </p>
        ))}
      </section>
      <DoctorCard />
    </div>
  );
}

const JOB_STATES = { pending: "waiting", leased: "running", dead: "given up" } as const;

function describeJob({ name, lastError, failures }: Health["jobs"][number]): string {
  if (lastError === null) return name;
  return failures === 0 ? lastError : `failed ${failures}×: ${lastError}`;
}

function Numbers({ health: { memory, sessions, model } }: { health: Health }) {
  const share = memory.tokens / memory.budgetTokens;
  return (
    <section class="card stack" aria-labelledby="stands">
      <h2 id="stands">At a glance</h2>
      <dl class="figures">
        <dt>Facts</dt>
        <dd>{number(memory.facts)}</dd>
        <dt>Sessions</dt>
        <dd>{number(sessions.count)}</dd>
        <dt>Messages</dt>
        <dd>{number(sessions.messages)}</dd>
        <dt>Not digested</dt>
        <dd>{number(sessions.waiting)}</dd>
        <dt>Model</dt>
        <dd>
          <Plain text={model ?? "none"} />
        </dd>
      </dl>
      <Meter label={`of the ${number(memory.budgetTokens)} tokens that memory may take in a prompt`} share={share} />
      {sessions.unreadable > 0 && <p class="failed">{countOf(sessions.unreadable, "session file")} cannot be read.</p>}
    </section>
  );
}

function Meter({ label, share }: { label: string; share: number }) {
  const percent = Math.round(share * 1000) / 10;
  return (
    <div class="meter">
      <p>
        <strong>{number(percent, 1)} %</strong> <span class="small">{label}</span>
      </p>
      <span class="level" aria-hidden="true">
        <span style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
    </div>
  );
}

function DoctorCard() {
  const [found, setFound] = useState<Doctor>();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const look = async (): Promise<void> => {
    setBusy(true);
    try {
      setFound(await ask("doctor", {}));
    } catch (failure) {
      setError(sentenceFor(failure));
    }
    setBusy(false);
  };
  return (
    <section class="card stack" aria-labelledby="doctor">
      <h2 id="doctor">Doctor</h2>
      <p class="note">Checks files, permissions, sessions and records; a configured model is asked for one word.</p>
      <div>
        <button type="button" onClick={() => void look()} disabled={isBusy}>
          {isBusy ? "Looking…" : "Examine"}
        </button>
      </div>
      {error && <p class="failed">{error}</p>}
      {found && (
        <div role="status">
          {found.findings.length === 0 && <p>All is well.</p>}
          <ul class="plain-list">
            {found.findings.map(({ check, problem, fix }) => (
              <li key={`${check} ${problem}`}>
                <Plain text={problem} />
                <span class="small">
                  {" "}
                  <Plain text={fix} />
                </span>
              </li>
            ))}
            {found.notes.map((note) => (
              <li class="small" key={note}>
                <Plain text={note} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function whenOf(at: string): string {
  const instant = instantOf(at);
  return instant ? whole(instant) : at;
}
