import { stripInvisible } from "../visible-text.ts";

/** Text as it is compared: case, forms of characters, white space, marks of weight and what is not seen do not count. */
export function foldText(text: string): string {
  const plain = stripInvisible(text.normalize("NFKC")).replaceAll(/\*+|__+|~~+|`+/g, "");
  return plain.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
