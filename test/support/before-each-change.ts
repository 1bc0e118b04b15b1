import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

const CALLS: readonly (readonly [object, readonly string[]])[] = [
  [fs, ["renameSync", "unlinkSync", "rmSync", "writeFileSync", "openSync"]],
  [fsPromises, ["open", "mkdir", "writeFile", "rename", "unlink", "rm"]],
];

/** Does `work`, and `act` right before each call that opens or changes something below a folder; it is told which, and where. */
export async function beforeEachChange<T>(
  folder: string,
  act: (call: string, path: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const restores = CALLS.flatMap(([module, names]) =>
    names.map((name) => {
      const real: unknown = Reflect.get(module, name);
      if (typeof real !== "function") throw new Error(`there is no ${name}`);
      Reflect.set(module, name, (...given: unknown[]): unknown => {
        const path = String(given[0]);
        if (path.startsWith(folder)) act(name, path);
        return Reflect.apply(real, module, given);
      });
      return () => Reflect.set(module, name, real);
    }),
  );
  const restore = () => {
    for (const each of restores) each();
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    restore();
  }
}
