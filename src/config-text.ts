import { applyEdits, modify, parse as parseJson } from "jsonc-parser";
import { isMap, parseDocument } from "yaml";
import { checkConfigText, spelledName } from "./config.ts";

/** One setting and its new value; undefined takes it out of the file. */
export interface ConfigChange {
  path: readonly string[];
  value: unknown;
}

/** The text of a configuration file with other settings. Comments, order and spelling stay; what could not be read back is refused. */
export function editConfigText(path: string, before: string, changes: readonly ConfigChange[]): string {
  const after = path.endsWith(".json") ? editJson(before, changes) : editYaml(before, changes);
  checkConfigText(path, after);
  return after;
}

/** What a configuration file's text sets at a path, in either spelling; undefined where it says nothing of it. */
export function readSetting(file: string, text: string, path: readonly string[]): unknown {
  const settings = parseSettings(file, text);
  return spell(settings, path).reduce<unknown>(
    (current, name) => (isRecord(current) ? current[name] : undefined),
    settings,
  );
}

/** The settings that a text names, one by one; a list is one setting. */
export function listSettings(file: string, text: string): ConfigChange[] {
  const walk = (value: unknown, path: readonly string[]): ConfigChange[] =>
    isRecord(value)
      ? Object.entries(value).flatMap(([name, each]) => walk(each, [...path, name]))
      : [{ path, value: value ?? undefined }];
  return walk(parseSettings(file, text), []);
}

function parseSettings(file: string, text: string): unknown {
  const settings: unknown = file.endsWith(".json")
    ? parseJson(text, [], { allowTrailingComma: true })
    : parseDocument(text).toJS();
  return settings ?? {};
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
    const entries = isRecord(current) ? Object.entries(current) : [];
    const present = entries.map(([each]) => each);
    const ours = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const spelled = [name, spelledName(ours, present)].find((each) => present.includes(each)) ?? name;
    current = entries.find(([each]) => each === spelled)?.[1];
    return spelled;
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
