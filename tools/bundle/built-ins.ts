import { createRequire } from "node:module";
import { join } from "node:path";
import type { Plugin } from "rolldown";

// Node's own modules cost as much at a start as ours. An import of one makes a copy of all that it exports, and so loads
// what it would only load when asked (streams for files, threads for text); and some are needed seldom.

/** Loaded by the first call of one of their functions; of those that a package may want whole, the functions are all. */
const LATE = new Set(["node:crypto", "node:child_process", "node:fs/promises", "node:net", "node:stream/consumers"]);
const LATE_FOR_ALL = new Set(["node:child_process"]);
const MARK = "\0late:";

/** Has our files take Node's modules as they are, and those that are heavy only when they are called. */
export function builtIns(root: string): Plugin {
  const source = join(root, "src");
  return {
    name: "built-ins",
    resolveId(id, importer) {
      const isLate = LATE.has(id) && (LATE_FOR_ALL.has(id) || importer?.startsWith(source));
      return isLate ? MARK + id : null;
    },
    load: (id) => (id.startsWith(MARK) ? lateModule(id.slice(MARK.length)) : null),
    renderChunk: (code) => code.replaceAll(IMPORT, takeModule),
  };
}

/** A module with the same functions, which loads the real one when the first of them is called. */
function lateModule(name: string): string {
  const real: Readonly<Record<string, unknown>> = createRequire(import.meta.url)(name);
  const functions = Object.keys(real).filter((key) => /^[a-z]/.test(key) && typeof real[key] === "function");
  const lines = functions.map((key) => `export function ${key}(...given) {\n  return load().${key}(...given);\n}`);
  const whole = LATE_FOR_ALL.has(name) ? [`export default { ${functions.join(", ")} };`] : [];
  return [`const load = () => process.getBuiltinModule("${name}");`, ...lines, ...whole].join("\n");
}

const IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+)|(\{[^}]*\}))? from "(node:[\w/]+)";$/gm;

function takeModule(...[, whole, all, named, name]: (string | undefined)[]): string {
  const names = [whole, all, named?.replaceAll(" as ", ": ")].filter((each) => each !== undefined);
  return names.map((each) => `const ${each} = process.getBuiltinModule("${name}");`).join(" ");
}
