/** Password rules and hashes; neither answer nor timing reveals whether an account exists. */
import { describe, expect, test, vi } from "vitest";
import { createPasswords } from "../../../src/accounts/passwords.ts";
import { callerAt, testPasswordCost } from "../../support/account-fixture.ts";

const passwords = createPasswords({ charsMin: 12 });
const caller = callerAt("192.0.2.7");
const email = "Someone@assay.test";

describe("a new password", () => {
  test.each([
    "green lamps over Oslo",
    "zwoelf Zeich",
    "\u00fcber\u00e4gyptisch",
    `${"\u{1f98a}".repeat(3)}nine more`,
    " leading and trailing ",
    `x9x9${"k".repeat(252)}`,
    "Passw0rd but a longer one",
    "abcdeabcdeabcde",
  ])("is accepted: %s", (password) => expect(passwords.faultOf(password, email)).toBeNull());

  test.each([
    ["", "too-short"],
    ["elevenchars", "too-short"],
    ["\u{1f98a}".repeat(6), "too-short"],
    ["x".repeat(257), "too-long"],
    ["someone@ASSAY.test", "is-email"],
    [" Someone@assay.test", "is-email"],
    ["passwordpassword", "common"],
    ["PasswordPassword", "common"],
    ["123456789012", "common"],
    ["Willkommen2026", "common"],
    ["aaaaaaaaaaaaaaaa", "common"],
    ["abcabcabcabcabc", "common"],
    ["abcdabcdabcdabcda", "common"],
    ["\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff11\uff12\uff13\uff14", "common"],
  ])("is refused: %j", (password, fault) => expect(passwords.faultOf(password, email)).toBe(fault as never));
});

describe("a hash", () => {
  test("is argon2id with our parameters and a salt", async () => {
    const [one, other] = await Promise.all([passwords.hash("the same one"), passwords.hash("the same one")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
  });

  test("matches its password in any Unicode normal form, and no other password", async () => {
    const hash = String(await passwords.hash("\u00fcberall Wiesen"));
    for (const [typed, expected] of [
      ["\u00fcberall Wiesen", true],
      ["u\u0308berall Wiesen", true],
      ["uberall Wiesen", false],
      ["\u00fcberall wiesen", false],
      ["\u00fcberall Wiesen\0", false],
      ["", false],
      ["-", false],
    ] as const)
      expect(await passwords.matches(typed, hash, caller)).toBe(expected);
  });

  test("that is missing matches no password, not even that of the decoy hash", async () => {
    for (const typed of ["", "-", "anything"]) expect(await passwords.matches(typed, null, caller)).toBe(false);
    const dash = await Bun.password.hash("-", { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 });
    expect(await passwords.matches("x".repeat(300), dash, caller)).toBe(false);
    expect(await passwords.matches("", dash, caller)).toBe(false);
  });

  test("that is missing costs as much to check as a real one", async () => {
    const hash = String(await passwords.hash("green lamps over Oslo"));
    const tries: readonly (readonly [string, string | null])[] = [
      ["wrong", hash],
      ["wrong", null],
      ["x".repeat(10_000), hash],
      ["", null],
    ];
    const verify = vi.spyOn(Bun.password, "verify");
    for (const [typed, against] of tries) await passwords.matches(typed, against, caller);
    const compared = verify.mock.calls.map(([typed, against]) => [String(typed).length, String(against).split("$", 4)]);
    verify.mockRestore();
    // The parameters in the hash decide the time of a comparison.
    const costs = ["", "argon2id", "v=19", "m=19456,t=2,p=1"];
    expect(compared).toEqual([
      [5, costs],
      [5, costs],
      [1, costs],
      [1, costs],
    ]);
  });
});

describe("concurrent hashes", () => {
  const cheap = createPasswords({ charsMin: 12, cost: testPasswordCost });
  const guess = (address: string) => cheap.matches("wrong", null, callerAt(address));
  const countOf = (outcomes: readonly (boolean | "busy")[], expected: boolean | "busy") =>
    outcomes.filter((outcome) => outcome === expected).length;

  test("beyond the queue are refused; queued ones are served", async () => {
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, number) => guess(`192.0.${number}.7`)));
    expect([countOf(outcomes, "busy"), countOf(outcomes, false)]).toEqual([18, 42]);
  });

  test("of one network leave capacity for others", async () => {
    // A customer with a /48 has 65,536 of the networks that throttles count.
    const flood = Array.from({ length: 60 }, (_, number) => guess(`2001:db8:7:${number.toString(16)}::`));
    const others = ["192.0.2.7", "2001:db8:8::"].map(guess);
    expect(countOf(await Promise.all(flood), "busy")).toBe(48);
    expect(await Promise.all(others)).toEqual([false, false]);
  });
});
