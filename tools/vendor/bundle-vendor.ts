import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";

// Packages with many small parts: shipped inside ours, so that installing brings few packages, and so that a start reads
// one file of each instead of a hundred (zod and yaml alone were two thirds of all files that `tidemark search` loaded).
// Their licences (MIT, ISC, Apache 2.0) go along in dist/vendor/LICENSES.txt.
const PACKAGES = [
  "markdown-it",
  "jsonc-parser",
  "fast-wrap-ansi",
  "fast-string-width",
  "zod",
  "yaml",
  "commander",
  "prom-client",
];
// Where the main file is CommonJS, whose names a bundle does not export.
const INPUTS: Readonly<Record<string, string>> = { yaml: "./node_modules/yaml/browser/index.js" };
const PARTS = [
  "linkify-it",
  "uc.micro",
  "mdurl",
  "entities",
  "punycode.js",
  "fast-string-truncated-width",
  "@opentelemetry/api",
  "tdigest",
  "bintrees",
];

// Systems on which two names can be exchanged; of that package one function of its binary is used, and none of its code.
const NATIVE = "fs-native-extensions";
const SYSTEMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

const root = join(import.meta.dirname, "../..");
const vendor = join(root, "dist/vendor");

for (const name of PACKAGES) {
  // What takes its part of jsonc-parser from the ESM build; its main file cannot be bundled.
  const build = await rolldown({
    input: INPUTS[name] ?? name,
    cwd: root,
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
  });
  await build.write({ file: join(vendor, `${name}.js`), format: "esm", exports: "named" });
}

mkdirSync(join(vendor, "exchange-names"), { recursive: true });
for (const system of SYSTEMS) {
  const from = join(root, "node_modules", NATIVE, "prebuilds", system, `${NATIVE}.node`);
  copyFileSync(from, join(vendor, "exchange-names", `${system}.node`));
}

const files = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" });
const wanted = new Set<string>();
for (const file of files.filter((each) => each.endsWith(".js") && !/^(?:vendor|ui)\b/.test(each))) {
  const path = join(root, "dist", file);
  const before = readFileSync(path, "utf8");
  const after = before.replaceAll(/(from\s*|import\()"([\w-]+)"/g, (all, lead: string, name: string) => {
    if (!PACKAGES.includes(name)) return all;
    wanted.add(name);
    const target = relative(dirname(path), join(vendor, `${name}.js`)).replaceAll("\\", "/");
    return `${lead}"${target.startsWith(".") ? target : `./${target}`}"`;
  });
  if (after !== before) writeFileSync(path, after);
}
const missing = PACKAGES.filter((name) => !wanted.has(name));
if (missing.length > 0) throw new Error(`Nothing imports ${missing.join(", ")}; take it out of tools/vendor`);

const licences = [...PACKAGES, ...PARTS, NATIVE].map((name) => {
  const folder = join(root, "node_modules", name);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name}\n\n${file === undefined ? "MIT licence" : readFileSync(join(folder, file), "utf8").trim()}\n`;
});
writeFileSync(join(vendor, "LICENSES.txt"), licences.join(`\n${"-".repeat(60)}\n\n`));
