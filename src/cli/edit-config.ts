import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { applyEdits, modify, parse as parseJson } from "jsonc-parser";
import { isMap, parseDocument } from "yaml";
import { checkConfigText, configPath, spelledName } from "../config.ts";
import { replaceFile } from "../store/files/disk.ts";
import { describeError, MemoryError } from "../errors.ts";

/** One setting and its new value; undefined takes it out of the file. */
export interface ConfigChange {
  path: readonly string[];
  value: unknown;
}

/**
 * Changes settings in a workspace's configuration file, or begins one. Comments, order and spelling stay; a text that
 * could not be read back is not written. Gives the file, and whether it is another now.
 */
export async function editConfig(
  workspace: string,
  changes: readonly ConfigChange[],
): Promise<{ path: string; isChanged: boolean }> {
  const path = configPath(workspace) ?? join(workspace, "config.json");
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const after = path.endsWith(".json") ? editJson(before, changes) : editYaml(before, changes);
  checkConfigText(path, after);
  if (after === before) return { path, isChanged: false };
  await writeConfig(path, after);
  return { path, isChanged: true };
}

/** Puts a configuration file's text in its place. */
export async function writeConfig(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    throw new MemoryError("FILE_UNWRITABLE", `Cannot write ${path}: ${describeError(error)}`, { cause: error });
  }
}

function editJson(before: string, changes: readonly ConfigChange[]): string {
  let text = before.trim() === "" ? "{}\n" : before;
  const indent = /\n(?<indent>[ \t]+)"/.exec(text)?.groups?.["indent"] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  for (const { path, value } of changes) {
    const spelled = spell(parseJson(text, [], { allowTrailingComma: true }), path);
    text = applyEdits(text, modify(text, spelled, value, { formattingOptions }));
  }
  return text;
}

function editYaml(before: string, changes: readonly ConfigChange[]): string {
  const document = parseDocument(before);
  for (const { path, value } of changes) {
    const spelled = spell(document.toJS(), path);
    if (value === undefined) document.deleteIn(spelled);
    else document.setIn(spelled, value);
  }
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0;
  return isEmpty ? before.replaceAll(/^[^#\n].*\n?/gm, "") : String(document);
}

/** The path as the file spells it. */
function spell(settings: unknown, path: readonly string[]): string[] {
  let current = settings;
  return path.map((name) => {
    const entries: [string, unknown][] =
      typeof current === "object" && current !== null && !Array.isArray(current) ? Object.entries(current) : [];
    const spelled = spelledName(
      name,
      entries.map(([each]) => each),
    );
    current = entries.find(([each]) => each === spelled)?.[1];
    return spelled;
  });
}
