import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Topic } from "../store/documents.ts";
import { Refused, sentenceFor } from "./ask.ts";
import { onChange } from "./live.ts";

/** What was asked for, as far as it is here. The old answer stays while a new one is fetched. */
export interface Query<T> {
  data: T | undefined;
  error: string | undefined;
  isLoading: boolean;
  /** Asks again; `then` is called once the answer is here. */
  again(then?: () => void): void;
}

const listeners = new Set<() => void>();

/** Tells when the server wants to know who asks. */
export function onLocked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Asks, and asks again whenever what it is about may have changed. */
export function useQuery<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  topics: readonly Topic[] = ["memory", "records"],
): Query<T> {
  const [state, setState] = useState<{
    key: string;
    data: T | undefined;
    error: string | undefined;
    isLoading: boolean;
  }>({ key, data: undefined, error: undefined, isLoading: true });
  const latest = useRef(load);
  latest.current = load;
  const running = useRef<AbortController>(undefined);
  const isStale = useRef(false);
  const again = useCallback(
    (then?: () => void) => {
      running.current?.abort();
      const control = new AbortController();
      running.current = control;
      isStale.current = false;
      latest
        .current(control.signal)
        .then((data) => setState({ key, data, error: undefined, isLoading: false }))
        .catch((error: unknown) => {
          if (control.signal.aborted) return;
          if (error instanceof Refused && error.status === 401) for (const listener of listeners) listener();
          setState((before) => ({ ...before, key, error: sentenceFor(error), isLoading: false }));
        })
        .finally(() => {
          then?.();
          if (running.current !== control) return;
          running.current = undefined;
          if (isStale.current) again();
        });
    },
    [key],
  );
  useEffect(() => {
    setState((before) => (before.key === key ? before : { key, data: undefined, error: undefined, isLoading: true }));
    again();
    return () => {
      running.current?.abort();
      running.current = undefined;
    };
  }, [again]);
  useEffect(
    () =>
      onChange((changed) => {
        if (!changed.some((topic) => topics.includes(topic))) return;
        // An answer that is under way is waited for: where changes never stop, none would ever be shown.
        if (running.current === undefined) again();
        else isStale.current = true;
      }),
    [again],
  );
  return { data: state.key === key ? state.data : undefined, error: state.error, isLoading: state.isLoading, again };
}
