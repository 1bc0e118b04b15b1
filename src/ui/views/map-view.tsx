import type { ViewProps } from "../app.tsx";
export function MapView(_: ViewProps) {
  return null;
}
