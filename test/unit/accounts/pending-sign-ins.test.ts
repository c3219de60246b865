/** Limits of pending sign-ins: who can drop whose. */
import { describe, expect, test } from "vitest";
import { createPendingSignIns } from "../../../src/accounts/sign-in.ts";
import { createClientAddress } from "../../../src/http/client-address.ts";

const pendingMax = 2_000;
const ofAddressMax = 5;
const addressOf = createClientAddress([]);
const home = "192.0.2.7";

function pendingSignIns() {
  const clock = { ms: 0 };
  const pending = createPendingSignIns(() => clock.ms);
  const begin = (peer: string, accountId = 1) =>
    pending.begin({ accountId, passwordHash: "hash", link: null }, { address: addressOf(peer, null), userAgent: "a browser" });
  return { clock, begin, find: pending.find };
}

/** Distinct IPv4 addresses. */
const ipv4 = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
/** Distinct /64 networks of one /48. */
const ipv6 = (number: number) => `2001:db8:1:${number.toString(16)}::1`;

describe("pending sign-ins", () => {
  test("of one account and address are five: the oldest goes first", () => {
    const { begin, find } = pendingSignIns();
    const challenges = Array.from({ length: ofAddressMax + 2 }, () => begin(home));
    expect(challenges.map((challenge) => find(challenge) !== undefined)).toEqual([false, false, true, true, true, true, true]);
  });

  test("of another account at the same address are counted apart", () => {
    const { begin, find } = pendingSignIns();
    const own = begin(home, 1);
    for (let number = 0; number < 3 * ofAddressMax; number++) begin(home, 2);
    expect(find(own)).toMatchObject({ accountId: 1 });
  });

  test("of one /64 are counted together, and another /64 cannot drop them", () => {
    const { begin, find } = pendingSignIns();
    const [own, first] = [begin("2001:db8:1:ffff::1"), begin("2001:db8:1:2::1")];
    for (let number = 2; number <= ofAddressMax + 1; number++) begin(`2001:db8:1:2::${number}`);
    expect(find(first)).toBeUndefined();
    expect(find(own)).toMatchObject({ accountId: 1 });
  });

  test.each([
    ["addresses of one /48", (number: number) => [ipv6(number), 1] as const],
    ["other accounts at many addresses", (number: number) => [ipv4(number >> 4), 2 + (number % 3)] as const],
    ["many addresses and one other account", (number: number) => [ipv4(number), 2] as const],
  ])(
    "of %s cannot drop mine, however many they are",
    (_words, attackerOf) => {
      const { begin, find } = pendingSignIns();
      const own = begin(home);
      const challenges = Array.from({ length: pendingMax + 50 }, (_, number) => begin(...attackerOf(number)));
      expect(find(own)).toMatchObject({ accountId: 1 });
      expect(challenges.filter((challenge) => find(challenge) !== undefined).length).toBeLessThan(pendingMax);
    },
    60_000,
  );

  test("end after ten minutes and make place", () => {
    const { clock, begin, find } = pendingSignIns();
    const own = begin(home);
    clock.ms = 10 * 60_000 - 1;
    expect(find(own)).toBeDefined();
    clock.ms++;
    expect(find(own)).toBeUndefined();
  });
});
