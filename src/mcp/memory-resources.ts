import { basename } from "node:path";
import { ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import type { McpServer } from "@modelcontextprotocol/server";
import { markFileText } from "../change/mark-file-text.ts";
import { HISTORY_FILE, MEMORY_FILE } from "../layout.ts";
import type { DocumentHead, Documents } from "../store/documents.ts";
import type { McpSetup } from "./mcp-setup.ts";

const BASE = "tidemark://memory/";
// A diary of years is searched, not read: what is newest is shown.
const LARGEST_RESOURCE_BYTES = 256 * 1024;

const MAIN_FILES = [
  { file: MEMORY_FILE, title: "Long-term memory", description: "the facts that are known; short" },
  { file: HISTORY_FILE, title: "Diary", description: "what happened, entry by entry; long, so search it instead" },
];

/** The address of a memory file. */
export function resourceUri(file: string): string {
  return `${BASE}${encodeURIComponent(file)}`;
}

/** Adds MEMORY.md, the diary and the notes as resources. */
export function addMemoryResources(server: McpServer, setup: McpSetup): void {
  const folder = memoryFolder(setup);
  const { documents } = setup.memory.store;
  for (const { file, title, description } of MAIN_FILES) {
    const details = { title, description, mimeType: "text/markdown" };
    server.registerResource(file, resourceUri(file), details, async (uri) =>
      readResource(setup, `${folder}/${file}`, uri),
    );
  }
  server.registerResource(
    "note",
    new ResourceTemplate(`${BASE}{name}`, {
      list: async () => ({ resources: (await listNotes(documents, folder)).map(toResource) }),
      complete: {
        name: async (begun) => (await listNotes(documents, folder)).filter((file) => file.startsWith(begun)),
      },
    }),
    { title: "Notes", description: "what was noted on a day, or of one session", mimeType: "text/markdown" },
    async (uri, { name }) => {
      const file = decodeName(String(name));
      // Only what the list names: no path leads elsewhere.
      if (file === undefined || !(await listNotes(documents, folder)).includes(file))
        throw new ResourceNotFoundError(uri.href);
      return readResource(setup, `${folder}/${file}`, uri);
    },
  );
}

/** The folder of the memory that this session sees, from the workspace. */
export function memoryFolder({ memory, session }: McpSetup): string {
  return memory.pathsOf(session).memoryFolder;
}

/** The name in an address; undefined where its escapes are no text. */
function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function toResource(file: string) {
  return { uri: resourceUri(file), name: file, mimeType: "text/markdown" };
}

async function listNotes(documents: Documents, folder: string): Promise<string[]> {
  const main = new Set(MAIN_FILES.map(({ file }) => file));
  const files = (await listMarkdown(documents, folder)).map(({ path }) => basename(path));
  return files.filter((file) => !main.has(file)).toSorted((one, other) => (one > other ? -1 : 1));
}

/** The Markdown files of a folder; none where there is no folder. */
export async function listMarkdown(documents: Documents, folder: string): Promise<DocumentHead[]> {
  const heads = await documents.list(folder);
  return heads.filter(({ path }) => /^[^.].*\.md$/.test(basename(path)));
}

async function readResource({ memory }: McpSetup, path: string, uri: URL) {
  const text = await markFileText(memory, [path], await readNewest(memory.store.documents, path));
  return { contents: [{ uri: uri.href, mimeType: "text/markdown", text }] };
}

async function readNewest(documents: Documents, path: string): Promise<string> {
  const text = (await documents.read(path)) ?? "";
  if (Buffer.byteLength(text) <= LARGEST_RESOURCE_BYTES) return text;
  const tail = text.slice(-LARGEST_RESOURCE_BYTES);
  return `[the older part is left out; memory_search finds it]\n\n${tail.slice(tail.indexOf("\n\n") + 2)}`;
}
