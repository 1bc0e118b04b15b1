import type { Eraser } from "./erasing.ts";
import type { ModelAnswer } from "./model-answer.ts";

/** Whether what a model answered carries what is forgotten; it repeats the memory that it was shown, and so others' facts. */
export function answerHits({ text, calls }: ModelAnswer, scope: string, eraser: Eraser): boolean {
  return [text, ...calls.flatMap(({ input }) => [input, ...textsInJson(input)])].some(
    (each) => eraser.hits(each) || eraser.erase(each, scope) !== each,
  );
}

/** The words inside of JSON, where quotes and line ends are no longer escaped; as well as may be if it was cut. */
function textsInJson(json: string): string[] {
  try {
    const texts: string[] = [];
    JSON.parse(json, (key, value: unknown) => {
      texts.push(key);
      if (typeof value === "string") texts.push(value);
      return value;
    });
    return texts;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      return [json.replaceAll(/\\n/g, "\n").replaceAll(/\\(["\\/])/g, "$1")];
    throw error;
  }
}
