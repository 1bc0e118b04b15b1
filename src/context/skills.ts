import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml, YAMLParseError } from "yaml";
import { z } from "zod";
import { shippedPath } from "../shipped.ts";
import type { Documents } from "../store/documents.ts";

/** Instructions for the agent, from a SKILL.md. */
export interface Skill {
  name: string;
  description: string;
  /** Whether it is in every prompt in full. */
  isAlways: boolean;
  body: string;
  /** Where the agent can read it, from the workspace; undefined for those that ship with the package. */
  path: string | undefined;
}

const SHIPPED = shippedPath("skills");

const FrontMatter = z.looseObject({
  name: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  always: z.boolean().optional().catch(undefined),
});

/**
 * The skills in folders of a workspace (its own and, for a scoped user, theirs) and those that ship with the package, by
 * name; a workspace's own takes the place of a shipped one.
 */
export async function loadSkills(documents: Documents, folders: readonly string[] = [""]): Promise<Skill[]> {
  const skills = new Map<string, Skill>();
  for (const skill of readShipped()) skills.set(skill.name, { ...skill, path: undefined });
  for (const folder of folders) {
    for (const skill of await readSkills(documents, folder === "" ? "skills" : `${folder}/skills`)) {
      const path = [folder, skill.path].filter((part) => part !== "").join("/");
      skills.set(skill.name, { ...skill, path });
    }
  }
  // By code unit, so that the order (and so the prompt) is the same on every machine.
  return [...skills.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function readSkills(documents: Documents, folder: string): Promise<Skill[]> {
  const skills: Skill[] = [];
  for (const name of (await documents.listFolders(folder)).toSorted()) {
    const text = (await documents.read(`${folder}/${name}/SKILL.md`)) ?? "";
    if (text.trim() !== "") skills.push(parseSkill(text, name));
  }
  return skills;
}

let shipped: Skill[] | undefined;

/** They come with the program, and do not change while it runs. */
function readShipped(): Skill[] {
  return (shipped ??= readdirSync(SHIPPED)
    .toSorted()
    .map((name) => parseSkill(readFileSync(join(SHIPPED, name, "SKILL.md"), "utf8"), name)));
}

/** Reads a SKILL.md; front matter that does not parse counts as none, so that one bad file stops nobody. */
export function parseSkill(text: string, folder: string): Skill {
  const [whole = "", head = ""] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  const front = parseFront(head);
  const body = text.slice(whole.length).trim();
  return {
    name: front.name ?? folder,
    description: (front.description ?? firstLine(body)).replaceAll(/\s+/g, " ").trim(),
    isAlways: front.always ?? false,
    body,
    path: `skills/${folder}/SKILL.md`,
  };
}

function parseFront(head: string): z.infer<typeof FrontMatter> {
  try {
    return FrontMatter.safeParse(readPlainLines(head) ?? parseYaml(head)).data ?? {};
  } catch (error) {
    if (error instanceof YAMLParseError) return {};
    throw error;
  }
}

/** Most front matter is `name: words` by lines, which says the same without a parser; undefined where it is more. */
export function readPlainLines(head: string): Record<string, string | boolean> | undefined {
  const fields = new Map<string, string | boolean>();
  for (const line of head.split("\n")) {
    const [, name = "", words = ""] = PLAIN_LINE.exec(line) ?? [];
    const isUnclear = name === "" || fields.has(name) || (WORD_OF_YAML.test(words) && !/^(?:true|false)$/.test(words));
    if (isUnclear) return undefined;
    fields.set(name, /^(?:true|false)$/.test(words) ? words === "true" : words);
  }
  return Object.fromEntries(fields);
}

// Words that begin with a letter, and hold nothing that could begin a mapping, a comment or anything else of YAML's.
const PLAIN_LINE = /^([a-z]+): ([A-Za-z](?:[\w ,.;()/'!?-]*[\w,.;()/'!?-])?)$/;
const WORD_OF_YAML = /^(?:true|false|null)$/i;

function firstLine(body: string): string {
  const line = body.split("\n").find((each) => each.trim() !== "") ?? "";
  return line.replace(/^#+\s*/, "").slice(0, 200);
}
