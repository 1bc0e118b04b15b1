import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Topic } from "../store/documents.ts";
import { Refused, sentenceFor } from "./ask.ts";
import { onChange } from "./live.ts";

/** What was asked for, as far as it is here. The old answer stays while a new one is fetched. */
export interface Query<T> {
  data: T | undefined;
  error: string | undefined;
  isLoading: boolean;
  again(): void;
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
  const again = useCallback(() => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    latest
      .current(control.signal)
      .then((data) => setState({ key, data, error: undefined, isLoading: false }))
      .catch((error: unknown) => {
        if (control.signal.aborted) return;
        if (error instanceof Refused && error.status === 401) for (const listener of listeners) listener();
        setState((before) => ({ ...before, key, error: sentenceFor(error), isLoading: false }));
      });
  }, [key]);
  useEffect(() => {
    setState((before) => (before.key === key ? before : { key, data: undefined, error: undefined, isLoading: true }));
    again();
    return () => running.current?.abort();
  }, [again]);
  useEffect(() => onChange((changed) => changed.some((topic) => topics.includes(topic)) && again()), [again]);
  return { data: state.key === key ? state.data : undefined, error: state.error, isLoading: state.isLoading, again };
}
