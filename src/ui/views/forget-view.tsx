import type { ViewProps } from "../app.tsx";
export function ForgetView(_: ViewProps) {
  return null;
}
