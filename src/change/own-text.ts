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
  /^[ \t]*(?:-{2,}[ \t]*(?:forwarded|original|weitergeleitete|urspr[üu]ngliche)\b.*|begin forwarded message:?|(?:from|von|de):[ \t].*\n[ \t]*(?:to|sent|date|subject|an|datum|betreff|à|objet|para|asunto)\b.*:)[\s\S]*/im;
const ROLE_LINE = /^[ \t]*(?:\[[^\]\n]{0,40}\][ \t]*)?(?:system|assistant|user|human|ai|tool)[ \t]*:[\s\S]*/im;
// "Here is the mail:" and then lines of it.
const INTRODUCED =
  /(?:\b(?:pasted?|copied|forward(?:ed)?|here(?:'s|’s| is| are)|this is (?:the|what|an?)|the following|below|mail|e-?mail|page|article|post|document|log|message|text|says|said|wrote|got this|received|hier ist|folgende|voici|aqu[íi] (?:est[áa]|tienes))\b[^\n]{0,80}):[ \t]*\n([\s\S]+)/i;
// Ten words and more in quotation marks are someone else's.
const LONG_QUOTE = /["“„«](?:[^"“”„«»\s]+[ \t]+){9,}[^"“”„«»\s]+["”“»]/g;

/** Parts what a user says from what they pasted in: fenced, quoted, forwarded, or set apart by "here it is:". */
export function splitOwnText(text: string): OwnText {
  const pasted: string[] = [];
  const take = (pattern: RegExp, from: string) =>
    from.replace(pattern, (part) => {
      pasted.push(part);
      return "\n";
    });
  let own = text;
  for (const pattern of [FENCE, MARKUP, FORWARDED, QUOTED_LINE, ROLE_LINE, LONG_QUOTE]) own = take(pattern, own);
  own = own.replace(INTRODUCED, (whole, body: string) => {
    pasted.push(body);
    return whole.slice(0, whole.length - body.length);
  });
  return { own, pasted: pasted.join("\n").trim() };
}
