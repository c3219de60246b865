/** No parser throws, grows without bounds or breaks a law of its own, whatever it is given. `npm run fuzz` does the same at length. */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputsOf } from "../fuzz/inputs.ts";
import { otherReaders } from "../fuzz/other-readers.ts";
import { faultsOn } from "../fuzz/parser.ts";
import { parsers } from "../fuzz/parsers.ts";

const folder = resolve(import.meta.dirname, "../../src/parse");
const runs = 400;

test("every function of every parser is fuzzed", async () => {
  const exported = await Promise.all(
    readdirSync(folder).map(async (file) => {
      const functions = Object.entries(await import(join(folder, file))).filter(([, value]) => typeof value === "function");
      return [file.replace(/\.ts$/, ""), functions.map(([name]) => name).sort()] as const;
    }),
  );
  const fuzzed = parsers.map(({ file, functions }) => [file, Object.keys(functions).sort()] as const);
  expect(Object.fromEntries(fuzzed)).toEqual(Object.fromEntries(exported.filter(([, functions]) => functions.length > 0)));
});

describe("never throws, stays bounded and keeps its laws", () => {
  test.each([...parsers, ...otherReaders].map((parser) => [parser.file, parser] as const))("%s", (_file, parser) => {
    for (const sample of parser.samples) expect(faultsOn(parser, sample)).toEqual([]);
    fc.assert(
      fc.property(inputsOf(parser), (text) => {
        expect(faultsOn(parser, text)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });
});
