import { startModel } from "./scripted-model.ts";
import { writeFileSync, appendFileSync } from "node:fs";
const m = await startModel((b) => {
  appendFileSync("/tmp/model.log", b + "\n");
  return "I have noted that.";
});
writeFileSync("/tmp/model.url", m.url);
setInterval(() => {}, 1e6);
