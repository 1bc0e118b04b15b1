import { useEffect, useState } from "preact/hooks";

/** A word on what was done, and how to take it back. */
export interface Toast {
  text: string;
  action?: { label: string; run: () => void } | undefined;
  isError?: boolean;
}

// Long enough to read it and to think twice.
const SHOWN_MS = 12_000;
let show: (toast: Toast) => void = () => undefined;

/** Says something at the edge of the page. */
export function say(toast: Toast): void {
  show(toast);
}

/** Where it is said. */
export function Toasts() {
  const [toasts, setToasts] = useState<(Toast & { id: number })[]>([]);
  const remove = (id: number): void => setToasts((before) => before.filter((each) => each.id !== id));
  useEffect(() => {
    let next = 0;
    show = (toast) => {
      const id = next++;
      setToasts((before) => [...before.slice(-2), { ...toast, id }]);
      setTimeout(() => remove(id), SHOWN_MS);
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, action, isError }) => (
        <div key={id} class={isError ? "toast error" : "toast"}>
          <span dir="auto">{text}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                action.run();
                remove(id);
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => remove(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
