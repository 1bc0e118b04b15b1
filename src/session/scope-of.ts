import type { Config } from "../config.ts";
import { encodeKey } from "./file-name.ts";

/** Whose memory a session writes to: everyone's, one user's (`channel:user`), or its own. */
export function scopeOf(session: string, kind: Config["memory"]["scope"]): string {
  if (kind === "workspace" || session === "") return "";
  return encodeKey(kind === "user" ? session.split(":").slice(0, 2).join(":") : session);
}
