import { findIssued } from "./find-issued.ts";
import { findNamed } from "./find-named.ts";
import { findNumbers } from "./find-numbers.ts";
import { findPrivateKeys } from "./find-private-keys.ts";
import type { SecretRule } from "./secret-rule.ts";
import { findShaped } from "./find-shaped.ts";

/** The rules, the surest first. */
export const SECRET_RULES: readonly SecretRule[] = [findPrivateKeys, findIssued, findShaped, findNumbers, findNamed];
