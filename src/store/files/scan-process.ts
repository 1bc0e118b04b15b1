import { text as readText } from "node:stream/consumers";
import { scanBytes, ScanOrder } from "./scan-bytes.ts";

// What is sought comes over stdin: arguments can be read by every user of the machine.
const { folder, wanted } = ScanOrder.parse(JSON.parse(await readText(process.stdin)));
process.stdout.write(JSON.stringify(await scanBytes(folder, wanted)));
