import type { ViewProps } from "../app.tsx";
export function HealthView(_: ViewProps) {
  return null;
}
