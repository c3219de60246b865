/** What a site wrote can be told from the sentence around it, whatever it wrote. */
import { expect, test } from "vitest";
import { piecesOf, quoted, unmarked } from "../../../src/text/quotation.ts";

test("a marked value comes out as a piece of its own", () => {
  expect(piecesOf(`It sent ${quoted("max-age=1")} at ${quoted("x.test")}.`)).toEqual([
    { text: "It sent ", quoted: false },
    { text: "max-age=1", quoted: true },
    { text: " at ", quoted: false },
    { text: "x.test", quoted: true },
    { text: ".", quoted: false },
  ]);
});

test("a value cannot end its own quotation", () => {
  expect(piecesOf(`Sent: ${quoted("a\ue001b\ue000c")}!`)).toEqual([
    { text: "Sent: ", quoted: false },
    { text: "a\ufffdb\ufffdc", quoted: true },
    { text: "!", quoted: false },
  ]);
});

test("an empty value is a value", () => {
  expect(piecesOf(`"${quoted("")}"`)).toEqual([
    { text: '"', quoted: false },
    { text: "", quoted: true },
    { text: '"', quoted: false },
  ]);
});

test("numbers are ours", () => {
  expect(quoted(7)).toBe(7);
});

test("without marks the text is what it was", () => {
  expect(unmarked(`DNS: ${quoted("x.test")}. IN CAA`)).toBe("DNS: x.test. IN CAA");
});
