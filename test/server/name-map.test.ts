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

describe("names in scripts of all kinds", () => {
  // Facts of the kind that people keep, and whom and what a reader would find in them.
  it.each<[string, string[], Record<string, "person" | "place" | "thing">]>([
    [
      "Chinese",
      ["她的姐姐李娜住在成都", "同事王建国喜欢爬山", "李娜每年去成都度假"],
      { 李娜: "person", 成都: "place", 王建国: "person" },
    ],
    [
      "Chinese, moved and called",
      ["用户搬到了深圳", "儿子名叫陈小宝", "用户住在广州市，在珠海工作"],
      { 陈小宝: "person", 广州市: "place", 珠海: "place" },
    ],
    [
      "Japanese",
      ["姉の美咲は札幌に住んでいる", "田中さんは毎週泳ぐ", "美咲はパンが好き"],
      { 美咲: "person", 札幌: "place", 田中: "person" },
    ],
    [
      "Japanese, from and to",
      ["佐藤くんは名古屋出身", "来年ロンドンへ引っ越す"],
      { 佐藤: "person", 名古屋: "place", ロンドン: "place" },
    ],
    [
      "Korean",
      ["여동생 지연은 부산에 산다", "김민수는 매일 달린다", "지연의 생일은 5월이다"],
      { 지연: "person", 부산: "place", 김민수: "person" },
    ],
    [
      "Arabic",
      ["أختها ليلى تعيش في عمّان", "صديقه كريم يعمل في الدار البيضاء", "ليلى تحب القهوة"],
      { ليلى: "person", عمّان: "place", كريم: "person", "الدار البيضاء": "place" },
    ],
    [
      "Russian",
      ["Сестра Ольга живёт в Казани", "Каждую зиму ездят в Казань", "Брата зовут Игорь"],
      { Ольга: "person", Казани: "place", Игорь: "person" },
    ],
    ["Ukrainian", ["Подруга Оксана працює у Львові"], { Оксана: "person", Львові: "place" }],
  ])("finds them in %s, and leads back to every fact that says them", (_, facts, expected) => {
    const map = draw(...facts);
    expect(kinds(map)).toMatchObject(expected);
    for (const name of Object.keys(expected)) {
      const told = map.names.find((each) => each.name === name)?.facts.map((index) => map.facts[index]);
      const stem = name.slice(0, Math.max(2, name.length - 1));
      expect(told).toEqual(facts.filter((fact) => fact.includes(stem)));
    }
  });

  it("makes no names of ordinary words", () => {
    const map = draw(
      "用户喜欢喝茶",
      "用户每天早上跑步",
      "ユーザーは毎日散歩する",
      "사용자는 아침에 커피를 마신다",
      "المستخدم يحب الشاي",
      "Пользователь любит чай",
      "在家工作",
      "집에서 일한다",
      "يعمل في البيت",
    );
    expect(map.names.map(({ name }) => name).filter((name) => name !== "ユーザー")).toEqual([]);
  });
});
