import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import type { OutputChunk, Plugin } from "rolldown";
import manifest from "../../package.json" with { type: "json" };
import { builtIns } from "./built-ins.ts";
import { clearBuilt } from "./clear-built.ts";
import { keepPublicTypes } from "./keep-public-types.ts";

// Puts the program and the packages that it is made of into few files. A start would otherwise spend more time on finding,
// reading and linking hundreds of them than on what was asked for. All of it lies right in dist/, so that `shipped.ts`
// finds the rest of the package from wherever it ends up. Names and lines stay as they are: a stack trace can be read.

const root = join(import.meta.dirname, "../..");
const dist = join(root, "dist");

/** What the package exports, and what bin/tidemark.js runs. Modules that they share are in one place. */
const PROGRAM = {
  index: "src/index.ts",
  "ai-sdk": "src/ai-sdk.ts",
  "memory-tool": "src/memory-tool.ts",
  main: "src/cli/main.ts",
  "hook-main": "src/cli/hook-main.ts",
};

/** Each runs in a thread or a process of its own, and is whole by itself: it starts at once. */
const APART = ["src/agent/exec/shell-worker.ts", "src/model/onnx-worker.ts", "src/store/files/scan-process.ts"];

// Most of it is made by others, and squeezed already; written out again it would be half as large again.
const SQUEEZED = new Set(["src/agent/exec/shell-worker.ts"]);
// They hold parts of other packages, which nothing but their list of dependencies tells.
const MADE_OF_OTHERS = ["just-bash"];

/** What is always loaded together is one file: these modules, and all that they import and no file above has. */
const TOGETHER: readonly (readonly [name: string, modules: readonly string[]])[] = [
  ["ground", ["cli/hook-main", "hook/run-hook"]],
  ["command-line", ["cli/main"]],
  ["settings", ["config", "choose-store", "cli/need-workspace"]],
  [
    "folder",
    [
      "store/files/open-files-store",
      "store/files/open-read-only-store",
      "history/open-history",
      "open-recall",
      "recall/doubtful",
    ],
  ],
  ["secrets", ["files/mask-secrets"]],
  ["lookup", ["open-lookup", "recall/recall", "recall/index/open-search", "model/static-embedder"]],
  ["memory", ["memory", "cli/read-status"]],
  ["changes", ["change/change-memory", "life/open-upkeep", "consolidation/preview", "trust/review", "trust/undo"]],
];

// Systems on which two names can be exchanged; of that package one function of its binary is used, and none of its code.
const NATIVE = join(root, "node_modules/fs-native-extensions");
const SYSTEMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

// Installed by those who want them. Our own code says what is missing; a package that we ship would only fail.
const OPTIONAL = Object.keys(manifest.peerDependencies);
const OWN = join(root, "src");

clearBuilt(dist);
const chunks = await bundle(PROGRAM);
for (const script of APART) chunks.push(...(await bundle({ [nameOf(script)]: script }, SQUEEZED.has(script))));
mkdirSync(join(dist, "exchange-names"), { recursive: true });
for (const system of SYSTEMS) {
  const addon = join(NATIVE, "prebuilds", system, "fs-native-extensions.node");
  copyFileSync(addon, join(dist, "exchange-names", `${system}.node`));
}
keepPublicTypes(dist, ["index", "ai-sdk", "memory-tool"]);
writeFileSync(join(dist, "LICENSES.txt"), gatherLicences(chunks));

async function bundle(input: Record<string, string>, isSqueezed = false): Promise<OutputChunk[]> {
  const build = await rolldown({
    input,
    cwd: root,
    platform: "node",
    plugins: [builtIns(root), without(["turndown"])],
    external: (id, importer) =>
      importer?.startsWith(OWN) === true && OPTIONAL.some((name) => id === name || id.startsWith(`${name}/`)),
    resolve: {
      // The main files of some are CommonJS, which cannot be bundled or is bundled whole.
      mainFields: ["module", "main"],
      alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
    },
    onLog: (level, log, tell) => {
      // One that is imported both ways is loaded early by some, and late by those who need it seldom.
      if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") tell(level, log);
    },
  });
  const { output } = await build.write({
    dir: dist,
    format: "esm",
    minify: isSqueezed ? { mangle: false, compress: false, codegen: { removeWhitespace: true } } : false,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: TOGETHER.map(([name, modules], place) => ({
        name,
        test: (id: string) => modules.some((module) => id === join(root, "src", `${module}.ts`)),
        priority: TOGETHER.length - place,
      })),
    },
  });
  return output.filter((each) => each.type === "chunk");
}

/** Leaves out packages that only serve what we never call. */
function without(names: readonly string[]): Plugin {
  return {
    name: "without",
    resolveId: (id) => (names.includes(id) ? `\0without:${id}` : null),
    load: (id) => (id.startsWith("\0without:") ? "export default undefined;" : null),
  };
}

function nameOf(script: string): string {
  return script.replace(/^.*\/|\.ts$/g, "");
}

/** The licences of all packages that a part of was taken from. */
function gatherLicences(chunks: readonly OutputChunk[]): string {
  const modules = chunks.flatMap((chunk) => Object.keys(chunk.modules));
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []));
  for (const name of MADE_OF_OTHERS) for (const each of dependenciesOf(name)) folders.add(each);
  const licences = [...folders, NATIVE].toSorted().map((folder) => {
    const file = readdirSync(folder).find((name) => /^(?:licen[cs]e|copying)/i.test(name));
    const { name, license }: { name: string; license: string } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    return `${name}\n\n${file === undefined ? `${license} licence` : readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return licences.join(`\n${"-".repeat(60)}\n\n`);
}

function dependenciesOf(name: string): string[] {
  const folder = join(root, "node_modules", name);
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const places = Object.keys(dependencies).map((each) =>
    [join(folder, "node_modules", each), join(root, "node_modules", each)].find((place) => existsSync(place)),
  );
  return places.filter((place) => place !== undefined);
}
