/** A user's message, by what is theirs and what they only pasted. */
export interface OwnText {
  own: string;
  pasted: string;
}

// Where a reader would see that others' text begins.
const FENCE = /(```|~~~)[\s\S]*?(?:\1|$)/g;
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<(html|body|article|section|table|script|div|p)\b[\s\S]*?(?:<\/\1>|$)/gi;
const QUOTED_LINE = /^[ \t]*>.*$/gm;
const FORWARDED =
  /^[ \t]*(?:-{2,}[ \t]*(?:forwarded|original|weitergeleitete|urspr[üu]ngliche)\b.*|begin forwarded message:?|(?:from|von|de):[ \t].*\n[ \t]*(?:to|sent|date|subject|an|datum|betreff|à|objet|para|asunto)\b.*:|(?:subject|betreff|asunto|assunto|objet|oggetto|onderwerp|主题|件名)[ \t]?[:：][ \t]?\S.*)[\s\S]*/im;
const ROLE_LINE =
  /^[ \t]*(?:\[[^\]\n]{0,40}\][ \t]*)?(?:#{1,6}[ \t]+|[*_]{1,3})?(?:system|assistant|user|human|ai|tool|developer)[*_]{0,3}[ \t]*:[\s\S]*|(?:<\|[a-z_]{2,20}\|>|\[INST\]|<<SYS>>)[\s\S]*/im;
// "Here is the mail:" and then lines of it.
const INTRODUCED =
  /(?:\b(?:pasted?|copied|forward(?:ed)?|here(?:'s|’s| is| are)|this is (?:the|what|an?)|the following|below|mail|e-?mail|page|article|post|document|log|message|text|says|said|wrote|got this|received|hier ist|folgende|voici|aqu[íi] (?:est[áa]|tienes))\b[^\n]{0,80}):[ \t]*\n([\s\S]+)/i;
// Ten words and more in quotation marks are someone else's.
const LONG_QUOTE = /["“„«](?:[^"“”„«»\s]+[ \t]+){9,}[^"“”„«»\s]+["”“»]/g;

const TAG = /<(\/?)([a-z][\w-]{0,40})(?:[ \t][^<>\n]{0,200})?>/gi;
const FORMATTING = /^(?:a|b|i|u|em|strong|code|kbd|span|sub|sup|br)$/i;

/** Parts what a user says from what they pasted in: fenced, quoted, forwarded, or set apart by "here it is:". */
export function splitOwnText(text: string): OwnText {
  const pasted: string[] = [];
  const take = (pattern: RegExp, from: string) =>
    from.replace(pattern, (part) => {
      pasted.push(part);
      return "\n";
    });
  let own = withoutElements(text, pasted);
  for (const pattern of [FENCE, MARKUP, FORWARDED, QUOTED_LINE, ROLE_LINE, LONG_QUOTE]) own = take(pattern, own);
  own = own.replace(INTRODUCED, (whole, body: string) => {
    pasted.push(body);
    return whole.slice(0, whole.length - body.length);
  });
  return { own, pasted: pasted.join("\n").trim() };
}

/** The text without what stands between a tag and its end, whatever its name: `<email>…</email>`, `<document>…</document>`. */
function withoutElements(text: string, pasted: string[]): string {
  const tags = [...text.matchAll(TAG)].filter(([, , name = ""]) => !FORMATTING.test(name));
  const lastEnd = new Map<string, number>();
  for (const [index, [, slash, name = ""]] of tags.entries()) if (slash === "/") lastEnd.set(name.toLowerCase(), index);
  let own = "";
  let at = 0;
  for (let index = 0; index < tags.length; index++) {
    const [, slash, name = ""] = tags[index] ?? [];
    const end = lastEnd.get(name.toLowerCase());
    const start = tags[index]?.index ?? 0;
    if (slash === "/" || end === undefined || end <= index || start < at) continue;
    const last = tags[end];
    const stop = (last?.index ?? 0) + (last?.[0].length ?? 0);
    pasted.push(text.slice(start, stop));
    own += `${text.slice(at, start)}\n`;
    at = stop;
    index = end;
  }
  return own + text.slice(at);
}
