// @module-tag stores
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ask, makePlace } from "./place.ts";

const TOLD = [
  "I am allergic to penicillin.",
  "My sister lives in Lisbon.",
  "The dentist is Dr. Weber.",
  "We have a dog called Miso.",
  "Blue is my favourite colour.",
  "The car needs new brakes.",
  "Lena studied chemistry in Graz.",
  "The landlord wants the rent on the third.",
];

describe("questions in another language than what was told", () => {
  it.each([
    ["Welche Allergien habe ich?", 0],
    ["¿A qué soy alérgico?", 0],
    ["Wo wohnt meine Schwester?", 1],
    ["Où habite ma sœur ?", 1],
    ["我的牙医是谁？", 2],
    ["歯医者は誰ですか", 2],
    ["Come si chiama il mio cane?", 3],
    ["犬の名前は何ですか", 3],
    ["Wat is mijn lievelings kleur?", 4],
    ["O que precisa o carro?", 5],
    ["¿Qué estudió Lena en la universidad?", 6],
    ["Wann will der Vermieter die Miete?", 7],
  ])("finds the answer to %j", async (question, index) => {
    const place = makePlace();
    place.say(
      "cli:main",
      TOLD.map((content) => ({ content })),
    );
    const { results } = await ask(await place.open(), question);
    expect(results[0]?.text).toBe(TOLD[index]);
  });

  it("finds what was told in German when asked in English", async () => {
    const place = makePlace();
    place.say("cli:main", [{ content: "Meine Tochter hat am Dienstag Klavier." }, { content: "Das Auto ist kaputt." }]);
    const search = await place.open();
    expect((await ask(search, "When does my daughter have piano?")).results[0]?.text).toContain("Tochter");
    expect((await ask(search, "What is wrong with the car?")).results[0]?.text).toContain("Auto");
  });

  it.each([
    ["Mit welchen Hunden gehe ich spazieren?", "dog"],
    ["¿Qué medallas ganó mi hija?", "medal"],
    ["In welk kasteel was de bruiloft?", "castle"],
    ["洗衣机怎么了？", "washing machine"],
  ])("finds forms that are not in the list: %j", async (question, word) => {
    const place = makePlace();
    const told = [
      "a dog",
      "a medal for my daughter",
      "a wedding in a castle",
      "a broken washing machine",
      "a cold lake",
    ];
    place.say(
      "cli:main",
      told.map((thing) => ({ content: `It was about ${thing} that day.` })),
    );
    expect((await ask(await place.open(), question)).results[0]?.text).toContain(word);
  });

  it("does not take a rare word for another language's where the rest of the question is known", async () => {
    const place = makePlace();
    // "pain" is bread in French.
    for (let day = 0; day < 5; day++) {
      place.say(`cli:${day}`, [{ content: `The bakery on market street sold out on day ${day}.` }]);
      place.say(`cli:${day}`, [{ content: `The pain in my knee was back on day ${day}.` }]);
    }
    const { results } = await ask(await place.open(), "bread at the bakery on market street", { limit: 5 });
    expect(results.every(({ text }) => text.includes("bakery"))).toBe(true);
  });

  it("leaves a question alone whose words are known", async () => {
    const place = makePlace();
    for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday"]) {
      place.say(`cli:${day}`, [{ content: `On ${day} the dog ran.` }, { content: "Der Hund schläft." }]);
    }
    const { results } = await ask(await place.open(), "dog", { limit: 8 });
    expect(results.slice(0, 4).every(({ text }) => text.includes("dog"))).toBe(true);
  });

  it("keeps a list with the same nine languages in each line", () => {
    const lines = readFileSync(join(import.meta.dirname, "../../data/concepts.txt"), "utf8")
      .trim()
      .split("\n")
      .slice(1);
    expect(lines.length).toBeGreaterThan(200);
    expect(lines.filter((line) => line.split(";").length !== 9)).toEqual([]);
  });
});
