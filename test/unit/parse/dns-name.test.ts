/** Exact length limits of RFC 1035 section 2.3.4. */
import { expect, test } from "vitest";
import { fitsDns } from "../../../src/parse/dns-name.ts";

const label = (chars: number) => "a".repeat(chars);

test.each([
  ["a", true],
  ["_dmarc.site.example", true],
  [label(63), true],
  [label(64), false],
  [[label(63), label(63), label(63), label(61)].join("."), true],
  [[label(63), label(63), label(63), label(62)].join("."), false],
  ["", false],
  ["site.example.", false],
  [".example", false],
  ["site..example", false],
])("%s", (name, fits) => {
  expect(fitsDns(name)).toBe(fits);
});
