// @module-tag long
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQueryTerms, tokenise } from "../../src/search/tokenise.ts";

const matches = (query: string, text: string): string[] => {
  const tokens = new Set(tokenise(text));
  return parseQueryTerms(query)
    .filter(({ forms }) => forms.some((form) => tokens.has(form)))
    .map(({ word }) => word);
};

describe("tokenise", () => {
  it("brings inflected words together (case 54)", () => {
    const text = "I was running three marathons last year and stored the medals";
    for (const word of ["run", "marathon", "store", "medal"]) expect(matches(word, text)).toEqual([word]);
  });

  it.each([
    ["en", "organisation organized relational happiest", "organize"],
    ["de", "Die Katzen haben in der Wohnung auf dem Sofa geschlafen", "Katze"],
    ["fr", "Nous avons acheté des voitures dans la ville", "voiture"],
    ["es", "Los gatos duermen en la casa de los abuelos", "gato"],
    ["it", "Abbiamo comprato le macchine per i ragazzi della scuola", "macchina"],
    ["ru", "Мы вчера купили новые книги", "книга"],
    ["sv", "Jag har köpt bilar till hela familjen och det var dyrt", "bil"],
  ])("stems in the language of the text: %s", (_, text, query) => {
    expect(matches(query, text)).toHaveLength(1);
  });

  it("folds accents and case (case 54)", () => {
    expect(matches("café", "the CAFE on the corner")).toEqual(["cafe"]);
    expect(matches("strasse", "Die Straße")).toEqual(["strasse"]);
    expect(matches("Łódź", "we flew to Lodz")).toEqual(["lodz"]);
  });

  it.each([
    ["Arabic vowels", "كتاب", "قرأت كِتَابًا", "كتابا"],
    ["a hamza on its alef", "احمد", "قال أحمد", "احمد"],
    ["a madda on its alef", "القران", "قرأ القرآن", "القران"],
    ["a dagger alef", "رحمن", "رَحْمٰن", "رحمن"],
    ["a stretched word", "محمد", "محـــمد هنا", "محمد"],
    ["Hebrew vowel points", "שלום", "אמר שָׁלוֹם", "שלום"],
    ["what is written with marks in the question", "شُكْرًا", "قال شكرا", "شكرا"],
  ])("folds %s (case 54)", (_, query, text, token) => {
    expect(tokenise(text)).toContain(token);
    expect(matches(query, text).length + matches(token, text).length).toBeGreaterThan(0);
  });

  it("leaves no word of a stroke alone", () => {
    expect(tokenise("ـــ \u0651")).toEqual([]);
  });

  it.each(["get_user_id", "v2.3.1", "#4271", "C++", "a.b/c", "2026-11-15"])(
    "keeps the identifier %s whole, and in parts (case 54)",
    (identifier) => {
      expect(tokenise(`see ${identifier} there`)).toContain(identifier.toLowerCase());
      expect(tokenise(`see ${identifier} there`).length).toBeGreaterThan(3);
    },
  );

  it("parts camelCase and numbers with units", () => {
    expect(tokenise("getUserId took 320ms of $1,200")).toEqual(
      expect.arrayContaining(["getuserid", "user", "320ms", "320", "1200"]),
    );
  });

  it("finds Chinese words in another order (case 54)", () => {
    expect(matches("飞书插件配置", "请配置飞书插件").length).toBeGreaterThanOrEqual(4);
  });

  it("indexes the last character of a run, so that one alone can be found", () => {
    expect(tokenise("我喜欢茶")).toContain("茶");
    expect(parseQueryTerms("喜欢").map(({ word }) => word)).toEqual(["喜欢"]);
  });

  it("drops stop words from a question, but not from one that has nothing else", () => {
    expect(parseQueryTerms("When did the boat leave?").map(({ word }) => word)).toEqual(["boat", "leave"]);
    expect(parseQueryTerms("wo ist der Schlüssel").map(({ word }) => word)).toEqual(["schlussel"]);
    expect(parseQueryTerms("what is it").length).toBe(3);
  });

  it("takes any text without an exception, and gives no token with a space or a quote in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const token of tokenise(text)) expect(token).toMatch(/^[^\s"]+$/u);
        parseQueryTerms(text);
      }),
    );
  });
});
