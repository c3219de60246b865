/** Text of a site stays separate from the sentence around it. Which internationalized host names are shown in Unicode. */
import { domainToASCII } from "node:url";
import { describe, expect, test } from "vitest";
import { piecesOf, quoted, unicodeHost, unmarked } from "../../../src/text/display.ts";

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

describe("a host is shown in Unicode", () => {
  test.each(["b\u00fccher.example", "stra\u00dfe.de", "vi\u1ec7t.vn", "\u0142\u0144.pl"])("in Latin: %s", shownInUnicode);
  test.each(["\u0440\u043e\u0441\u0441\u0438\u044f.\u0440\u0444", "\u03b5\u03bb\u03bb\u03ac\u03b4\u03b1.gr"])(
    "in another alphabet: %s",
    shownInUnicode,
  );
  test.each(["\u4f8b\u3048.\u30c6\u30b9\u30c8", "\ud55c\uad6d.kr", "\u4e2d\u56fd-1.cn"])(
    "in scripts that one language mixes: %s",
    shownInUnicode,
  );
  test.each(["\u0645\u062b\u0627\u0644.example", "\u0915\u094d\u0937\u0947\u0924\u094d\u0930.\u092d\u093e\u0930\u0924"])(
    "in %s",
    shownInUnicode,
  );

  function shownInUnicode(host: string): void {
    const ascii = domainToASCII(host);
    expect(ascii).toContain("xn--");
    expect(unicodeHost(ascii)).toBe(host);
  }
});

describe("a host stays in ASCII", () => {
  test.each([
    ["mixed scripts", "\u0440\u0430ypal.com"],
    ["Cyrillic letters that look like Latin ones", "\u0430\u0440\u0440\u04cf\u0435.com"],
    ["Greek letters that look like Latin ones", "\u03b2\u03bf.com"],
    ["a dotless i", "\u0131s.com"],
    ["a Latin letter that looks like a sign", "\u01c3x.com"],
    ["combining accents", "a\u0331b.com"],
    ["emoji", "\ud83d\udc4d.com"],
    ["a middle dot", "a\u00b7b.cat"],
  ])("for %s", (_what, host) => {
    const ascii = domainToASCII(host);
    expect(ascii).toContain("xn--");
    expect(unicodeHost(ascii)).toBe(ascii);
  });

  test.each(["example.org", "xn--a", "xn--", "xn--%", "2001:db8::1", "", "127.0.0.1", "a.xn--zzzzzzzzzzzzzz999999999.b"])(
    "if it is %s",
    (host) => expect(unicodeHost(host)).toBe(host),
  );

  test("label by label", () => {
    expect(unicodeHost(domainToASCII("\u0440\u0430ypal.b\u00fccher.example"))).toBe("xn--ypal-43d9g.b\u00fccher.example");
  });
});
