/** Text of a site on a terminal and in the log of a build: it gives no commands to either. */
import { describe, expect, test } from "vitest";
import { jsonLine, stripControls } from "../../../src/cli/terminal.ts";

describe("commands to the runner of a pipeline", () => {
  test.each([
    ["::error::x", "?error::x"],
    ["a ::add-mask::1", "a ?add-mask::1"],
    ["::warning file=a,line=1::x", "?warning file=a,line=1::x"],
    ["##[error]x", "?[error]x"],
    ["a##VSO[task.setvariable]x", "a?VSO[task.setvariable]x"],
  ])("%s is %s", (given, shown) => expect(stripControls(given)).toBe(shown));

  test.each(["::1", "::ffff:192.0.2.1", "fe80::1", "a::b::c", "std::error::x", "# a ## b", "#[x]"])("%s stays", (text) => {
    expect(stripControls(text)).toBe(text);
    expect(jsonLine(text)).toBe(JSON.stringify(text));
  });

  test.each(["##[error]x", "##vso[x]", "\x1b[31m\u202e\u2028"])("JSON with %j is read back, and holds none", (text) => {
    const line = jsonLine({ text });
    expect(line).not.toMatch(/##|\p{Cc}|\u202e|\u2028/u);
    expect(JSON.parse(line)).toEqual({ text });
  });
});
