import { useEffect, useState } from "preact/hooks";

/** Where the page stands: a view, and what it is asked to show. All of it lies behind the #, which no server sees. */
export interface Route {
  view: string;
  rest: Readonly<Record<string, string>>;
}

/** The address of a view. */
export function hrefTo(view: string, rest: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(rest).flatMap(([key, value]): [string, string][] => (value ? [[key, value]] : []));
  return `#/${view}${pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`}`;
}

/** Goes there. */
export function goTo(view: string, rest: Readonly<Record<string, string | undefined>> = {}): void {
  location.hash = hrefTo(view, rest);
}

/** Where the page stands now; renders again when that changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const onMove = (): void => setRoute(readRoute(location.hash));
    addEventListener("hashchange", onMove);
    // The address may have changed between the first look and this one.
    onMove();
    return () => removeEventListener("hashchange", onMove);
  }, []);
  return route;
}

/** What an address means. */
export function readRoute(hash: string): Route {
  const [view = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { view: view || "memory", rest: Object.fromEntries(new URLSearchParams(query)) };
}
