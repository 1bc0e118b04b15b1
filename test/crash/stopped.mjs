// The child of the stopped-process test: takes one lock of a workspace, says so, and keeps it until it is killed.
import { withLock } from "../../src/store/files/lock.ts";

await withLock(process.argv[2], async () => {
  console.log("held");
  await new Promise((resolve) => setTimeout(resolve, 120_000));
});
