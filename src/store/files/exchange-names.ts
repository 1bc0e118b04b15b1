import { createRequire } from "node:module";
import { systemCode } from "../../errors.ts";
import { shippedPath } from "../../shipped.ts";

// Node has no call for it; the build puts the part of fs-native-extensions that has one beside our own code.
const ADDON = shippedPath(`dist/exchange-names/${process.platform}-${process.arch}.node`);

type Exchange = (one: string, other: string) => void;

let exchange: Exchange | null | undefined;

/** Lets two files change names in one step, so that neither is ever gone; false where the system cannot. */
export function exchangeNames(one: string, other: string): boolean {
  exchange ??= loadExchange();
  try {
    exchange?.(one, other);
    return exchange !== null;
  } catch (error) {
    // Another kernel or file system, or nothing there to change names with.
    if (["ENOSYS", "EINVAL", "ENOTSUP", "EPERM", "ENOENT"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}

function loadExchange(): Exchange | null {
  try {
    const addon: { swapSync?: Exchange } = createRequire(import.meta.url)(ADDON);
    return addon.swapSync ?? null;
  } catch (error) {
    // Not made for this system, or the system does not load it.
    if (["MODULE_NOT_FOUND", "ERR_DLOPEN_FAILED"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}
