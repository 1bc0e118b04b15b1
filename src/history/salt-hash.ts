import { createHmac } from "node:crypto";

/** A hash that tells nothing to who does not have the salt. */
export function saltHash(salt: string, hash: string): string {
  return createHmac("sha256", salt).update(hash).digest("hex").slice(0, 20);
}
