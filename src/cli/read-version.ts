import { readFileSync } from "node:fs";
import { shippedPath } from "../shipped.ts";

/** The version of this package. */
export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(shippedPath("package.json"), "utf8"));
  return version;
}
