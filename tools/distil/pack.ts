import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeTableFile } from "./table-file.ts";

// Packs what train.py wrote into the file that is shipped. Usage: pack.ts FOLDER [OUT]
const [folder, out = join(import.meta.dirname, "../../data/word-table.bin")] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: pack.ts FOLDER [OUT]\n");
  process.exit(2);
}
const words = (await readFile(join(folder, "words.txt"), "utf8")).split("\n");
const bytes = await readFile(join(folder, "rows.bin"));
const scaleBytes = await readFile(join(folder, "scales.bin"));
const dimensions = bytes.length / words.length;
const vectors = words.map((_, row) => {
  const scale = scaleBytes.readFloatLE(row * 4);
  return Float32Array.from({ length: dimensions }, (_, index) => bytes.readInt8(row * dimensions + index) * scale);
});
const name = await writeTableFile(out, { words, vectors }, { name: "trained", teacher: "BAAI/bge-small-en-v1.5" });
process.stdout.write(`${out}: ${name}\n`);
