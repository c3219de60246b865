/** Places of one-line faults in source, and the random choice among them. */
import { describe, expect, test } from "vitest";
import { changesProgram, type Fault, faultsIn, plant } from "../../../build/mutate/faults.ts";
import { chooseFaults, randomNumbers } from "../../../build/mutate/selection.ts";

const path = "src/base/x.ts";

/** Each text that one fault makes of the code, by its kind. */
async function planted(code: string): Promise<readonly (readonly [kind: string, code: string])[]> {
  const faults = await faultsIn(new Map([[path, code]]));
  return faults.map((fault) => [fault.kind, plant(code, fault)]);
}

describe("planted", () => {
  test.each([
    ["a === b;", [["comparison", "a !== b;"]]],
    ["a < b;", [["boundary", "a <= b;"]]],
    ["a && b;", [["connective", "a || b;"]]],
    ["a - b;", [["calculation", "a + b;"]]],
    ["const a = 60 * b;", [["calculation", "const a = 60 / b;"]]],
    ["!a;", [["negation", "a;"]]],
    ["while (a) b++;", [["negation", "while (!(a)) b++;"]]],
    [
      "f(a ? b : c);",
      [
        ["statement", "{}"],
        ["negation", "f(!(a) ? b : c);"],
      ],
    ],
    [
      "if (a) b++;",
      [
        ["negation", "if (!(a)) b++;"],
        ["condition", "if (false) b++;"],
      ],
    ],
    ["a ?? b;", [["default", "a;"]]],
    ["a?.b;", [["optional", "a.b;"]]],
    [
      "a[0] < 100;",
      [
        ["number", "a[1] < 100;"],
        ["boundary", "a[0] <= 100;"],
        ["number", "a[0] < 101;"],
      ],
    ],
    ["const a = true;", [["boolean", "const a = false;"]]],
    ["for (;;) break;", [["break", "for (;;) continue;"]]],
    ["a: for (;;) continue a;", [["continue", "a: for (;;) break a;"]]],
    ["const a = await b();", [["await", "const a = b();"]]],
    ["const a = new B(c, d);", [["argument", "const a = new B(c);"]]],
    [
      "await f();",
      [
        ["await", "f();"],
        ["statement", "{}"],
      ],
    ],
    ["a = b;", [["statement", "{}"]]],
    ["const a = b.some(c);", [["method", "const a = b.every(c);"]]],
  ])("in %s", async (code, expected) => expect((await planted(code)).toSorted()).toEqual(expected.toSorted()));
});

describe("not planted in", () => {
  test.each([
    ["types", "let a: 1 | true; type B = C extends 2 ? true : false; interface D { e: false }"],
    ["strings, templates and comments", '/* a < b */ const a = "b < c"; const d = `e && f`; // g === h'],
    ["imports", 'import a from "./b.json" with { type: "json" };'],
    ["calls of the log", "options.log.warn(a > b ? c : d, 1);"],
    ["large numbers", "const a = 101;"],
    ["messages of errors", "throw new RangeError(a, b);"],
    ["defaults that only the compiler needs", 'const a = b[c] ?? "";'],
    ["a break that leaves a switch", "for (;;) { switch (a) { case b: break; } }"],
    ["texts of several lines", "const a = await b(\n);"],
  ])("%s", async (_place, code) => {
    expect(await planted(code)).toEqual([]);
  });
});

test("a fault has a place by which it is found again", async () => {
  const [fault] = await faultsIn(new Map([[path, "let a;\n\n  a = b !== c;"]]));
  expect(fault).toMatchObject({
    id: `${path}:3:3:statement`,
    path,
    line: 3,
    kind: "statement",
    original: "a = b !== c;",
    replacement: "{}",
  });
});

test("faults of the same kind that begin at the same place have different names", async () => {
  const faults = await faultsIn(new Map([[path, "a ?? b ?? c;"]]));
  expect(faults.map(({ id, replacement }) => [id, replacement])).toEqual([
    [`${path}:1:1:default`, "a ?? b"],
    [`${path}:1:1:default.2`, "a"],
  ]);
});

test("several files, also with elements", async () => {
  const texts = new Map([
    ["src/a.ts", "a < b;"],
    ["src/web/c.tsx", "const c = <p>{d && <b>e</b>}</p>;"],
  ]);
  expect((await faultsIn(texts)).map(({ id }) => id)).toEqual(["src/a.ts:1:3:boundary", "src/web/c.tsx:1:17:connective"]);
});

test("a fault that does not compile, or compiles to the same, is none", () => {
  const fault = (start: number, end: number, replacement: string) =>
    ({ id: "", path, line: 1, kind: "number", original: "", start, end, replacement }) satisfies Fault;
  expect(changesProgram("f(1);", fault(2, 3, "2"))).toBe(true);
  expect(changesProgram("f(1);", fault(2, 3, "(1)"))).toBe(false);
  expect(changesProgram("f(1);", fault(2, 3, ")"))).toBe(false);
});

describe("the choice", () => {
  const texts = new Map([[path, `${Array.from({ length: 30 }, (_, at) => `f(a${at} < b, c);`).join("\n")}\nfor (;;) break;\n`]]);
  const chosen = async (count: number, seed: number) =>
    chooseFaults(await faultsIn(texts), texts, { count, seed }).map(({ id, kind, line }) => ({ id, kind, line }));

  test("is the same for the same seed", async () => {
    expect(await chosen(8, 1)).toEqual(await chosen(8, 1));
    expect(await chosen(8, 1)).not.toEqual(await chosen(8, 2));
  });

  test("has a kind that is rare, and one fault a line", async () => {
    const faults = await chosen(12, 3);
    expect(faults).toHaveLength(12);
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(["argument", "boundary", "break", "statement"]));
    expect(new Set(faults.map(({ line }) => line)).size).toBe(12);
  });

  test("has every line at most, whatever is asked for", async () => expect(await chosen(1_000, 1)).toHaveLength(31));

  test("uses numbers that begin and stay below 1", () => {
    const random = randomNumbers(5);
    const numbers = Array.from({ length: 1_000 }, random);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBe(1_000);
  });
});
