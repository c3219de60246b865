/** Text of a site stays separate from the sentence around it. */
import { expect, test } from "vitest";
import { piecesOf, quoted, unmarked } from "../../../src/text/quotation.ts";

test("a marked value is a separate piece", () => {
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

test("numbers are not marked", () => {
  expect(quoted(7)).toBe(7);
});

test("removing marks restores the text", () => {
  expect(unmarked(`DNS: ${quoted("x.test")}. IN CAA`)).toBe("DNS: x.test. IN CAA");
});
