import { describe, expect, it } from "vitest";
import { drawNameMap } from "../../src/server/inspector/name-map.ts";

const draw = (...facts: string[]) => drawNameMap(facts.map((fact) => ({ fact, under: ["Memory"] })));
const kinds = (map: ReturnType<typeof draw>) => Object.fromEntries(map.names.map(({ name, kind }) => [name, kind]));

describe("the names that facts speak of", () => {
  it("finds people and places by what stands around them", () => {
    const map = draw("The user's sister Marta lives in Évora", "Their boss, Ngozi Okafor, moved to Lagos");
    expect(kinds(map)).toEqual({ Marta: "person", Évora: "place", "Ngozi Okafor": "person", Lagos: "place" });
  });

  it("takes no word for a name because it begins a sentence, and none from the calendar", () => {
    const map = draw(
      "Prefers tea",
      "Works late on Fridays",
      "Every Monday in March there is a meeting",
      "Likes old maps",
    );
    expect(map.names).toEqual([]);
  });

  it("keeps a name whole, small words and titles included", () => {
    const map = draw("They studied in Rio de Janeiro under Dr. Vera Lima", "The ferry to São Jacinto is cheap");
    expect(map.names.map(({ name }) => name).toSorted()).toEqual(["Dr. Vera Lima", "Rio de Janeiro", "São Jacinto"]);
  });

  it("joins a short name with the only long one that begins with it", () => {
    const map = draw("Marta Dias plays the cello", "The cello of Marta is old", "Marta likes Bach");
    expect(map.names.find(({ name }) => name === "Marta Dias")?.facts).toEqual([0, 1, 2]);
    const two = draw("The user met Marta Dias and Marta Costa", "Then Marta came", "Again Marta came");
    expect(two.names.map(({ name }) => name)).toContain("Marta");
  });

  it("does not take every German noun for a thing", () => {
    const map = draw("Die Schwester wohnt mit dem Hund am Fluss", "Der Hund ist alt und mag den Fluss");
    expect(map.names.map(({ name }) => name).toSorted()).toEqual(["Fluss", "Hund"]);
  });

  it("ties names that share a fact, and leads back to it", () => {
    const { names, ties, facts } = draw("Once Omar met Lin", "Later Omar met Pia", "Nothing else");
    expect(names.map(({ name }) => name).toSorted()).toEqual(["Lin", "Omar", "Pia"]);
    const place = (name: string) => names.findIndex((each) => each.name === name);
    expect(ties).toHaveLength(2);
    const tie = ties.find(({ one, other }) => [one, other].includes(place("Lin")));
    expect(tie?.facts.map((index) => facts[index])).toEqual(["Once Omar met Lin"]);
  });
});
