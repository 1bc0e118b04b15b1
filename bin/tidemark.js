#!/usr/bin/env node
// Plain old JavaScript on purpose: it must parse on a Node that is too old for the rest, to say so.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`tidemark needs Node 22.18 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
// Compiled code is kept in a folder that nobody else can write to: what lies there is run at the next start.
// Node's modules are taken as they are: an import would copy all that they export, and load it for that.
const { enableCompileCache } = process.getBuiltinModule("node:module");
const { mkdirSync, lstatSync } = process.getBuiltinModule("node:fs");
const { homedir } = process.getBuiltinModule("node:os");
const path = process.getBuiltinModule("node:path");
const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "tidemark", "compiled");
try {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(cache);
  const isPrivate = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
  if (isPrivate) enableCompileCache(cache);
} catch {
  // A home that cannot be written to: it starts a little slower.
}
// A client waits for its hooks: written as `connect` and the plugins write them, they need no parser of command lines.
const [, , command, event = "", clientFlag, client, workspaceFlag, workspace, more] = process.argv;
const isPlain = workspaceFlag === undefined || (workspaceFlag === "-w" && workspace && more === undefined);
if (command === "hook" && !event.startsWith("-") && clientFlag === "--client" && client && isPlain) {
  const { hookMain } = await import("../dist/hook-main.js");
  await hookMain({ event, client, workspace });
} else {
  const { main } = await import("../dist/main.js");
  await main(process.argv);
}
