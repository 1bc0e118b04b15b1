#!/usr/bin/env node
// Plain old JavaScript on purpose: it must parse on a Node that is too old for the rest, to say so.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`tidemark needs Node 22.18 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
// Compiled code is kept in the system's folder for temporary files: the next start need not compile it again.
const { enableCompileCache } = await import("node:module");
enableCompileCache();
const { main } = await import("../dist/cli/main.js");
await main(process.argv);
