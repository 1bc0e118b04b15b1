/** Whether a text gives a standing order: what to do whenever something comes up. */
export function statesRule(text: string): boolean {
  return RULE.test(text);
}

/** Whether someone says what they like, want or prefer. */
export function statesWish(text: string): boolean {
  return WISH.test(text);
}

/** Whether what is said holds from then on, for whatever is asked: a standing order, or a preference put plainly. */
export function isStandingWish(text: string): boolean {
  const beginning = text.slice(0, LONGEST_BEGINNING);
  return RULE.test(beginning) || PREFERENCE.test(beginning);
}

// A pasted document says "always" somewhere.
const LONGEST_BEGINNING = 600;

const WISH =
  /\b(?:always|never|from now on|whenever|every time|make sure|i(?:['’]d| would)? (?:prefer|like|love|want|rather)|i (?:dis)?like|i hate|i enjoy|my (?:preference|favou?rite)|please (?:use|keep|avoid|include|don['’]t)|immer|nie|ab jetzt|ich (?:mag|bevorzuge|möchte)|siempre|nunca|prefiero|toujours|jamais|je préfère)\b|总是|永远|不要|喜欢|希望|请(?:务必|总)/iu;
const RULE =
  /(?:^|[.!\n]\s{0,20})(?:please\s+)?(?:always|never|from now on|in (?:the )?future|whenever|every time|immer|ab jetzt|künftig|siempre|nunca|toujours|désormais|sempre|altijd|voortaan)\b|\b(?:when|whenever|if)(?:ever)? i (?:ask|mention|request|say)\b|(?:以后|今后|每次|每当)/iu;
const PREFERENCE =
  /\bi(?:['’]d| would| do|['’]ve always| have always| usually| generally| really| always)? (?:prefer|rather)(?:red)?\b|\bmy preference\b|\bi(?:['’]m| am) (?:not )?(?:a fan of|keen on|allergic)|\bich (?:bevorzuge|ziehe .{1,40} vor|hätte lieber)|\bprefiero\b|\bje préfère\b|\bprefiro\b|\bpreferisco\b|\bik (?:geef de voorkeur|heb liever)|更喜欢|偏好|偏爱|方がいい|の方が好き/iu;
