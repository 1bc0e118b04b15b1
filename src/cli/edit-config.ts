import { applyEdits, modify, parse as parseJson } from "jsonc-parser";
import { isMap, parseDocument } from "yaml";
import { checkConfigText, spelledName } from "../config.ts";
import { openConfigFile } from "./config-file.ts";

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
  const { path, name, text: before = "", write } = await openConfigFile(workspace);
  const after = name.endsWith(".json") ? editJson(before, changes) : editYaml(before, changes);
  checkConfigText(name, after);
  if (after === before) return { path, isChanged: false };
  await write(after);
  return { path, isChanged: true };
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
