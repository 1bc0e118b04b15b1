import type { ViewProps } from "../app.tsx";
export function SearchView(_: ViewProps) {
  return null;
}
