import { expect, it } from "vitest";
import { nearest } from "../src/nearest.ts";

const COMMANDS = ["status", "search", "sessions", "copy", "log", "undo", "why", "config", "consolidate", "connect"];

it.each([
  ["stauts", "status"],
  ["serch", "search"],
  ["SEARCH", "search"],
  ["stat", "status"],
  ["conf", "config"],
  ["lgo", "log"],
  ["undoo", "undo"],
  ["sesions", "sessions"],
  ["consoldate", "consolidate"],
])("%s was probably meant to be %s", (typed, meant) => {
  expect(nearest(typed, COMMANDS)).toBe(meant);
});

it.each(["nope", "make", "x", "up", "wax", "delete", ""])("%s is like none of them", (typed) => {
  expect(nearest(typed, COMMANDS)).toBeUndefined();
});

it("offers nothing where there is nothing", () => {
  expect(nearest("status", [])).toBeUndefined();
});
