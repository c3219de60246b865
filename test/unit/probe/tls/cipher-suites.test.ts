/** The table of weak suites, compared with the suites that other hellos offer. */
import { describe, expect, test } from "vitest";
import { weakSuiteKinds } from "../../../../src/evidence/limits.ts";
import { offeredSuites, suiteName, weakSuites } from "../../../../src/probe/tls/cipher-suites.ts";

const modern = /^TLS_|^(ECDHE|DHE)-.*(GCM|CHACHA20|CCM)/;

describe("weak suites", () => {
  test("each has one number, one name and one kind", () => {
    expect(new Set(weakSuites.map(({ code }) => code)).size).toBe(weakSuites.length);
    expect(new Set(weakSuites.map(({ name }) => name)).size).toBe(weakSuites.length);
    expect([...new Set(weakSuites.map(({ kind }) => kind))]).toEqual([...weakSuiteKinds]);
  });

  test("every suite of the version hellos is modern or weak, under the same name", () => {
    const names = new Map(weakSuites.map(({ code, name }) => [code, name]));
    for (const code of offeredSuites("1.3")) {
      if (modern.test(suiteName(code))) expect(names.has(code)).toBe(false);
      else expect(names.get(code)).toBe(suiteName(code));
    }
  });

  test.each([
    ["null", /NULL/],
    ["anonymous", /^AE?C?DH-/],
    ["export", /^EXP|(^|-)DES-CBC-/],
    ["rc4", /RC4/],
    ["smallBlock", /CBC3|IDEA/],
    ["staticKey", /^(AES|CAMELLIA|ARIA|SEED|DH-|ECDH-)/],
    ["cbc", /^(ECDHE|DHE)-.*(SHA|SHA256|SHA384)$/],
  ] as const)("names of kind %s", (kind, pattern) => {
    for (const { name } of weakSuites.filter((suite) => suite.kind === kind)) expect(name).toMatch(pattern);
  });

  test("a hello has less than 128 suites, the limit of some servers", () => {
    const dated = weakSuites.filter(({ kind }) => kind === "staticKey" || kind === "cbc").length;
    expect(Math.max(dated, weakSuites.length - dated)).toBeLessThan(128);
  });
});
