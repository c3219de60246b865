/** TOTP codes with the test values of RFC 6238, and recovery codes in every spelling. */
import { describe, expect, test } from "vitest";
import {
  formatRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  parseRecoveryCode,
  totpStepOf,
  totpUri,
} from "../../../src/accounts/sign-in.ts";
import { codeAt } from "../../support/account-fixture.ts";

/** "12345678901234567890" of RFC 6238 appendix B, in base32. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("a code", () => {
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
  ])("of second %i is the last six digits of the RFC's", (second, code) => {
    expect(totpStepOf(secret, code, new Date(second * 1_000))).toBe(Math.floor(second / 30));
  });

  test("is accepted one step early or late, and returns its step", () => {
    const now = new Date("2026-11-21T12:00:10Z");
    const step = Math.floor(now.getTime() / 30_000);
    const at = (steps: number) => totpStepOf(secret, codeAt(secret, new Date(now.getTime() + steps * 30_000)), now);
    expect([-2, -1, 0, 1, 2].map(at)).toEqual([null, step - 1, step, step + 1, null]);
  });

  test.each(["", "28708", "2870820", "abcdef", "28708\u0662", "-28708", "2.8708", "0x1234", "287082".repeat(10_000)])(
    "is never %j",
    (code) => {
      expect(totpStepOf(secret, code, new Date(59_000))).toBeNull();
    },
  );

  test("may contain blanks", () => expect(totpStepOf(secret, " 287 082\n", new Date(59_000))).toBe(1));
});

test("secrets are 160 bits and unique", () => {
  const secrets = Array.from({ length: 20 }, newTotpSecret);
  for (const one of secrets) expect(one).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(20);
});

test("the TOTP URI escapes any mail address", () => {
  const uri = new URL(totpUri(secret, { issuer: "assay host", email: "a&secret=EVIL?#%/@b" }));
  expect([uri.protocol, uri.searchParams.getAll("secret"), uri.searchParams.get("issuer")]).toEqual(["otpauth:", [secret], "assay host"]);
  expect(decodeURIComponent(uri.pathname)).toContain("a&secret=EVIL?#%/@b");
});

describe("recovery codes", () => {
  test("are ten values of 80 bits", () => {
    const codes = newRecoveryCodes();
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{16}$/);
  });

  test("are parsed as shown and as people type them", () => {
    const [code = ""] = newRecoveryCodes();
    const shown = formatRecoveryCode(code);
    expect(shown).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    for (const typed of [shown, shown.toUpperCase(), code, ` ${shown.replaceAll("-", " ")}\r\n`])
      expect(parseRecoveryCode(typed)).toBe(code);
    for (const typed of ["", "123456", shown.slice(1), `${shown}a`, "a".repeat(100_000)]) expect(parseRecoveryCode(typed)).toBeNull();
  });
});
