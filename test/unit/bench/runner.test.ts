/** The runner of the benchmarks, with small parts: order of the output, failed parts and the exit code. */
import { expect, test } from "vitest";
import type { Row } from "../../bench/report.ts";
import { type BenchParts, exitCodeOf, runParts, selectedParts } from "../../bench/runner.ts";
import { spreadOf } from "../../bench/spread.ts";

function row(name: string, note?: string): Row {
  return { name, unit: "ms", measured: spreadOf([1, 2, 3]), ...(note === undefined ? {} : { note }) };
}

/** What a run printed, noted and cleaned up, in order. */
async function runOf(parts: BenchParts, selected: readonly string[] = Object.keys(parts)) {
  const lines: string[] = [];
  const firstWord = (text: string) => text.trim().split(/\s+/)[0] ?? "";
  const result = await runParts(parts, selected, {
    print: (text) => lines.push(`out ${firstWord(text)}`),
    note: (text) => lines.push(`note ${text}`),
    cleanUp: async () => void lines.push("cleaned up"),
  });
  return { ...result, lines, code: exitCodeOf(result) };
}

test("rows are printed while their part goes on", async () => {
  const middle = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<string>();
  const parts: BenchParts = {
    long: async function* () {
      yield row("first", "with a note");
      await middle.promise;
      yield row("second");
    },
  };
  const running = runParts(parts, ["long"], {
    print: (text) => text.startsWith("first") && seen.resolve(text),
    note: () => {},
    cleanUp: async () => {},
  });
  const text = await seen.promise;
  expect(text.split("\n")[0]).toMatch(/^first +2\.00 ms +1\.20 \.\. 2\.80 \(3\)$/);
  expect(text.split("\n")[1]?.trim()).toBe("with a note");
  middle.resolve();
  expect((await running).rows.map(({ name }) => name)).toEqual(["first", "second"]);
});

test("a part that throws keeps its rows, ends no other part, and is named at the end", async () => {
  const { lines, rows, failed, code } = await runOf({
    halfway: async function* () {
      yield row("half");
      throw new Error("0 of 3 events arrived");
    },
    rejects: () => Promise.reject(new Error("no server")),
    throws: () => {
      throw "no error object";
    },
    whole: () => [row("whole")],
    later: async () => [row("later")],
  });
  expect(rows.map(({ name }) => name)).toEqual(["half", "whole", "later"]);
  expect(failed).toEqual([
    { name: "halfway", because: "0 of 3 events arrived" },
    { name: "rejects", because: "no server" },
    { name: "throws", because: "no error object" },
  ]);
  expect(code).toBe(1);
  expect(lines.slice(1, 5)).toEqual(["note halfway ...", "out half", "note halfway failed: 0 of 3 events arrived", "cleaned up"]);
  expect(lines.filter((line) => line === "cleaned up")).toHaveLength(5);
  expect(lines.at(-1)).toBe("note \nfailed:\n  halfway: 0 of 3 events arrived\n  rejects: no server\n  throws: no error object");
});

test("a run without failures ends with 0 and names none", async () => {
  const { lines, code } = await runOf({ one: () => [row("one")], two: () => [row("two")] }, ["two"]);
  expect([code, lines.slice(1)]).toEqual([0, ["note two ...", "out two", "cleaned up"]]);
});

test("parts are chosen by name, and an unknown name is refused before anything runs", () => {
  const parts: BenchParts = { api: () => [], soak: () => [] };
  expect(selectedParts(parts, undefined, ["soak"])).toEqual(["api"]);
  expect(selectedParts(parts, "soak,api", ["soak"])).toEqual(["soak", "api"]);
  expect(() => selectedParts(parts, "api,pags", [])).toThrow('there is no part "pags"; choose from api, soak');
});
