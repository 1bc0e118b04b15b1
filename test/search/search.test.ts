// @module-tag stores
import { testStore } from "../support/kept.ts";
import { makePlace } from "./place.ts";
import { describeSearch } from "./search-suite.ts";

describeSearch(testStore === undefined ? "SQLite" : "another store", makePlace, (place, options) =>
  place.open(options),
);
