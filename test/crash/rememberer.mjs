// The child of the editors' test: remembers one fact after the other; what is acknowledged goes to stdout.
import { openMemory } from "../../dist/index.js";

const [workspace, first] = process.argv.slice(2);
const memory = await openMemory({ workspace });
console.log("ready");
for (let number = Number(first); ; number++) {
  await memory.remember("cli:a", { fact: `Unit x${number}x was remembered`, by: "test" });
  console.log(String(number));
}
