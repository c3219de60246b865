/** Accent colours: only those that are readable on white. */
import { describe, expect, test } from "vitest";
import { parseAccent } from "../../../src/parse/accent-color.ts";

describe("an accent colour", () => {
  test.each([
    ["#1f4fa3", "#1f4fa3"],
    ["1F4FA3", "#1f4fa3"],
    [" #000 ", "#000000"],
    ["a1c", "#aa11cc"],
    // The lightest grey with a contrast of 4.5.
    ["#767676", "#767676"],
  ])("%j is %s", (text, color) => {
    expect(parseAccent(text)).toBe(color);
  });

  test.each(["#777777", "#fff", "#ff0000", "#ffd500", "#4a7fd6"])("%s has too little contrast with white", (text) => {
    expect(parseAccent(text)).toBe("low-contrast");
  });

  test.each([
    "",
    "#",
    "#12",
    "#1234",
    "#12345",
    "#1234567",
    "##000",
    "#00000g",
    "red",
    "rgb(0,0,0)",
    "#000;x",
    "#000\u0660\u0660\u0660",
    "#000\n#000",
  ])("%j is none", (text) => {
    expect(parseAccent(text)).toBeNull();
  });
});
