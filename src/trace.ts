import type { Attributes, Context, Span } from "@opentelemetry/api";

/** A stretch of work, as whoever gathers traces sees it. No attribute holds what was said, or by whom. */
export interface Trace {
  /** Runs something as a part of it. */
  within<T>(work: () => T): T;
  set(attributes: Attributes): void;
  /** Ends it, as failed where a reason is given; once it has ended, nothing changes. */
  end(failure?: unknown): void;
}

type Api = typeof import("@opentelemetry/api");

// Where a tracing SDK leaves its mark. Without one there is nobody to tell, and the package need not even be there.
const MARK = Symbol.for("opentelemetry.js.api.1");
const UNTRACED: Trace = { within: (work) => work(), set: () => undefined, end: () => undefined };

let loading: Promise<Api | undefined> | undefined;

/** Does something as one span of the trace that it belongs to; just does it where nobody gathers traces. */
export async function traced<T>(
  name: string,
  attributes: Attributes,
  work: (trace: Trace) => Promise<T>,
  measure: (result: T) => Attributes = () => ({}),
): Promise<T> {
  if (!(MARK in globalThis)) return work(UNTRACED);
  const trace = await startTrace(name, attributes);
  try {
    const result = await trace.within(() => work(trace));
    trace.set(measure(result));
    trace.end();
    return result;
  } catch (error) {
    trace.end(error);
    throw error;
  }
}

/** Begins a span that outlives the function that began it; `headers` may name what it is a part of. */
export async function startTrace(name: string, attributes: Attributes, headers?: Headers): Promise<Trace> {
  const api = await loadApi();
  if (api === undefined) return UNTRACED;
  const parent = parentOf(api, headers);
  const span = api.trace.getTracer("tidemark").startSpan(`tidemark.${name}`, { attributes }, parent);
  const own = api.trace.setSpan(parent, span);
  return {
    within: (work) => api.context.with(own, work),
    set: (more) => void span.setAttributes(more),
    end(failure) {
      if (failure !== undefined) markFailed(api, span, failure);
      // A span that has ended takes no second end.
      if (span.isRecording()) span.end();
    },
  };
}

/** Whoever traces HTTP has begun a span already; else the caller's headers say where it belongs. */
function parentOf({ context, propagation, trace }: Api, headers: Headers | undefined): Context {
  const active = context.active();
  if (headers === undefined || trace.getSpan(active) !== undefined) return active;
  return propagation.extract(active, headers, {
    get: (carrier, key) => carrier.get(key) ?? undefined,
    keys: (carrier) => [...carrier.keys()],
  });
}

/** The kind of failure alone: its words may repeat what was said. */
function markFailed({ SpanStatusCode }: Api, span: Span, failure: unknown): void {
  const code = failure instanceof Error && "code" in failure ? failure.code : undefined;
  const kind = typeof code === "string" ? code : failure instanceof Error ? failure.name : "failed";
  span.setStatus({ code: SpanStatusCode.ERROR, message: kind });
  span.setAttribute("error.type", kind);
}

function loadApi(): Promise<Api | undefined> | undefined {
  if (!(MARK in globalThis)) return undefined;
  return (loading ??= import("@opentelemetry/api").catch((error: unknown) => {
    // An SDK that brought a copy of its own, where we cannot reach it.
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }));
}
