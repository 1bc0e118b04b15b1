/**
 * What stands in for the signature of thoughts that no provider has sealed. Clients of this wire turn thoughts without
 * one into words when they send them again, and the answer would be taken for another one.
 */
export const OWN_SEAL = "unsealed-by-tidemark";

/** The signature of a provider; undefined where there is none. */
export function readSeal(signature: string | null | undefined): string | undefined {
  return !signature || signature === OWN_SEAL ? undefined : signature;
}
