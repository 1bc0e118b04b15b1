import { maskSecrets } from "../files/mask-secrets.ts";
import type { Upstream } from "./upstream.ts";

/** An error of a provider without the keys that it was sent, whatever they look like. */
export function hideKeys(text: string, { headers }: Upstream): string {
  const sent = Object.values(headers).flatMap((value) => [value, value.replace(/^Bearer /, "")]);
  const hidden = sent
    .filter((value) => value.length >= 6)
    .reduce((rest, value) => rest.replaceAll(value, "[masked: key]"), text);
  return maskSecrets(hidden);
}
