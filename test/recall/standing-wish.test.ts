// @module-tag stores
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isStandingWish } from "../../src/language/standing-wish.ts";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";
import { ask, makePlace } from "../search/place.ts";

describe("what the model said", () => {
  it("is found when it is asked for, and behind the person's words otherwise", async () => {
    const place = makePlace();
    place.say("cli:main", [
      { content: "Slugs eat the lettuce in the raised bed every night.", id: "told" },
      { role: "assistant", content: "Put copper tape around the raised bed, slugs avoid it.", id: "advised" },
      { content: "The rain barrel is full again.", id: "other" },
    ]);
    const search = await place.open();
    const firstOf = async (question: string) => (await ask(search, question)).results[0]?.messages[0];
    expect(await firstOf("What did you recommend to put around the raised bed?")).toBe("advised");
    expect(await firstOf("What do slugs eat in the raised bed?")).toBe("told");
  });
});

describe("what holds from then on", () => {
  it.each([
    "Always show prices with tax when I ask about a quote.",
    "From now on, call me Kit.",
    "I prefer the window seat on trains.",
    "I'd rather have it in metric units.",
    "Ich bevorzuge kurze Antworten.",
    "Prefiero el té sin azúcar.",
    "以后请用中文回答。",
  ])("is said by %j", (text) => expect(isStandingWish(text)).toBe(true));

  it.each([
    "We always laugh at that film.",
    "The bakery opens at six.",
    "Did you like the soup?",
    "I met the referee.",
  ])("is not said by %j", (text) => expect(isStandingWish(text)).toBe(false));

  it("is looked at for a request that it shares no word with, however much else was said", async () => {
    const place = makePlace();
    const rule = "Always give distances in miles when I ask about routes.";
    const talk = Array.from({ length: 150 }, (_, index) => ({
      content: `On walk ${index} from the harbour to the old mill the path was ${index % 2 ? "dry" : "muddy"}.`,
      id: `walk-${index}`,
    }));
    place.say("cli:main", [...talk.slice(0, 75), { content: rule, id: "rule" }, ...talk.slice(75)]);
    const embedder = await openStaticEmbedder(join(import.meta.dirname, "../../data"));
    const search = await place.open({ embedder });
    const places = async (isLearned: boolean) => {
      const request = { limit: 200, settings: { learned: isLearned } };
      const { results } = await ask(search, "How far is the path from the harbour to the old mill?", request);
      return results.findIndex(({ messages }) => messages.includes("rule"));
    };
    const [plain, learned] = [await places(false), await places(true)];
    expect(plain).toBeGreaterThan(80);
    expect(learned).toBeLessThan(80);
  });
});
