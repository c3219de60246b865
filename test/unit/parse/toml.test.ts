/** Positions of keys in TOML documents, and days as they were written. */
import { describe, expect, test } from "vitest";
import { parseTomlDocument } from "../../../src/parse/toml.ts";

function documentOf(text: string) {
  const document = parseTomlDocument(text);
  if ("fault" in document) throw new Error(document.fault.reason);
  return document;
}

const text = `a = 1
x.y = """
[no.table]
b = 1
""""
[t] # [no]
"m n" = [ # ]
  "]", { a = 1 }, '''
b = 2
''',
]
'q.r'.s = "#"
[[list]]
code = 1
[[list]]
  code = 2
[list.sub]
w = 1
[deep.er]
k = { z = 1 }
`;

describe("the position of", () => {
  test.each([
    ["a key", ["a"], 1, 1],
    ["a key with dots", ["x", "y"], 2, 1],
    ["a table that dots made", ["x"], 2, 1],
    ["a header", ["t"], 6, 1],
    ["a quoted key", ["t", "m n"], 7, 1],
    ["a quoted key with dots", ["t", "q.r", "s"], 12, 1],
    ["an array of tables", ["list"], 13, 1],
    ["a key of its first table", ["list", "0", "code"], 14, 1],
    ["its second table", ["list", "1"], 15, 1],
    ["an indented key", ["list", "1", "code"], 16, 3],
    ["a table inside it", ["list", "1", "sub", "w"], 18, 1],
    ["a table without header", ["deep"], 19, 1],
    ["a key of an inline table", ["deep", "er", "k", "z"], 20, 1],
    ["what is not there", ["list", "1", "none"], 15, 1],
    ["what is nowhere", ["none"], 1, 1],
  ] as const)("%s", (_words, path, line, column) => expect(documentOf(text).positionOf(path)).toEqual({ line, column }));
});

test.each([
  ["d = 2027-03-01", "2027-03-01"],
  ["d = 2027-02-30 # the parser makes it 2 March", "2027-02-30"],
  ["d = 2027-03-01T00:00:00Z", null],
  ["d = 12:00:00", null],
  ['d = "2027-03-01"', null],
  ["e = 1", null],
])("%s is the day %s", (line, day) => expect(documentOf(line).dayAt(["d"])).toBe(day));

test.each([
  ["a = ", 1, 5],
  ["a = 1\na = 2", 2, 1],
])("%j is refused with a place", (broken, line, column) => {
  expect(parseTomlDocument(broken)).toEqual({ fault: { reason: expect.any(String), line, column } });
});
