import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ENTRIES = [
  ["tidemark", "index.d.ts"],
  ["tidemark/ai-sdk", "ai-sdk.d.ts"],
  ["tidemark/memory-tool", "memory-tool.d.ts"],
] as const;

/** docs/api.md, from the types that are shipped. */
export function renderApi(dist: string): string {
  const sections = ENTRIES.map(([name, file]) => {
    const blocks = listExports(join(dist, file)).map(({ own, symbol, from }) => {
      const { about, code } = findDeclaration(readFileSync(from, "utf8"), own);
      return `### ${symbol}\n\n${about === "" ? "" : `${about}\n\n`}\`\`\`ts\n${code}\n\`\`\``;
    });
    return `## \`${name}\`\n\n${blocks.join("\n\n")}`;
  });
  return `# API

Made from the types by \`npm run docs\`; do not edit it here. Only what is listed here is public.

${sections.join("\n\n")}
`;
}

function listExports(path: string): { own: string; symbol: string; from: string }[] {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/export (?:type )?\{([^}]+)\} from "([^"]+)"/g)].flatMap(([, names = "", target = ""]) =>
    names.split(",").flatMap((each) => {
      const [own = "", alias = own] = each
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      return own === ""
        ? []
        : [{ own, symbol: alias, from: join(dirname(path), target.replace(/\.(?:ts|js)$/, ".d.ts")) }];
    }),
  );
}

/** The text of an exported declaration, and the comment above it. */
function findDeclaration(text: string, symbol: string): { about: string; code: string } {
  const pattern = new RegExp(
    String.raw`(?:/\*\*((?:(?!\*/)[\s\S])*)\*/\s*)?(export (?:declare )?(?:abstract )?(?:interface|type|function|const|class) ${symbol}\b)`,
  );
  const match = pattern.exec(text);
  if (!match) {
    const forward = new RegExp(String.raw`export (?:type )?\{[^}]*\b${symbol}\b[^}]*\} from "([^"]+)"`).exec(text);
    return { about: "", code: forward ? `export type { ${symbol} } from "${forward[1]}";` : `export { ${symbol} };` };
  }
  const [, comment = "", head = ""] = match;
  const start = match.index + match[0].length - head.length;
  const about = comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, ""))
    .join("\n")
    .trim();
  return { about, code: text.slice(start, endOf(text, start)).replace("export declare ", "export ").trim() };
}

/** A declaration ends with its closing brace, or with the semicolon outside of any. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 1;
    else if ("{([".includes(character)) depth++;
    else if ("})]".includes(character)) {
      depth--;
      if (depth === 0 && character === "}" && !/^\s*[&|[;>]/.test(text.slice(at + 1, at + 3))) return at + 1;
    } else if (character === ";" && depth === 0) return at + 1;
  }
  return text.length;
}
