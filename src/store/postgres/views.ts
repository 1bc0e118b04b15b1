import { emptyView } from "./log-view.ts";
import type { LogName, View } from "./log-view.ts";

/** What this process knows of logs; all that have one open share it, for as long as one of them is there. */
export interface Views {
  of(name: LogName): View;
  /** The same, where someone has it open. */
  known(name: LogName): View | undefined;
}

/** Begins to remember views. */
export function createViews(): Views {
  const known = new Map<string, WeakRef<View>>();
  const gone = new FinalizationRegistry<string>((name) => {
    if (known.get(name)?.deref() === undefined) known.delete(name);
  });
  return {
    known: (name) => known.get(JSON.stringify(name))?.deref(),
    of(name) {
      const text = JSON.stringify(name);
      const held = known.get(text)?.deref();
      if (held) return held;
      const view = emptyView();
      known.set(text, new WeakRef(view));
      gone.register(view, text);
      return view;
    },
  };
}
