/** Networks of sites: what is remembered, for how long, and how many lookups run at a time. */
import { describe, expect, test } from "vitest";
import { hourMs, minuteMs } from "../../../src/base/units.ts";
import { createSiteNetworks } from "../../../src/sites/site-networks.ts";
import { fakeClock, settled } from "../../support/fake-clock.ts";

/** Each lookup waits until the test ends it. */
function heldLookups() {
  const clock = fakeClock();
  const lookups: { readonly host: string; readonly end: (addresses: readonly string[]) => void; readonly fail: () => void }[] = [];
  let known = 0;
  const networks = createSiteNetworks({
    resolve: (host) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      lookups.push({ host, end: resolve, fail: () => reject(new Error("no such name")) });
      return promise;
    },
    onKnown: () => known++,
    clock,
  });
  return { networks, lookups, clock, known: () => known };
}

const url = "https://site.example/";

describe("the network of a site", () => {
  test.each([
    ["192.0.2.77", "192.0.2.0"],
    ["2001:db8:1:2::3", "2001:db8:1::"],
  ])("is that of its first address, %s", async (address, network) => {
    const { networks, lookups, known } = heldLookups();
    expect([networks.of(url), networks.of(`${url}shop`), known()]).toEqual([undefined, undefined, 0]);
    lookups[0]?.end([address, "198.51.100.1"]);
    await settled();
    expect([networks.of(url), networks.of(`${url}shop`), known(), lookups.length]).toEqual([network, network, 1, 1]);
  });

  test("is its host while it has no address, and is looked up again after a minute", async () => {
    const { networks, lookups, clock, known } = heldLookups();
    networks.of(url);
    lookups[0]?.fail();
    await settled();
    expect([networks.of(url), known()]).toEqual(["site.example", 1]);
    clock.advance(minuteMs);
    expect([networks.of(url), lookups.length]).toEqual([undefined, 2]);
  });

  test("is its host while no resolver answers within three seconds", async () => {
    const { networks, clock } = heldLookups();
    networks.of(url);
    clock.advance(3_000);
    await settled();
    expect(networks.of(url)).toBe("site.example");
  });

  test("is remembered for an hour", async () => {
    const { networks, lookups, clock } = heldLookups();
    networks.of(url);
    lookups[0]?.end(["192.0.2.77"]);
    await settled();
    clock.advance(hourMs - 1);
    expect(networks.of(url)).toBe("192.0.2.0");
    clock.advance(1);
    expect(networks.of(url)).toBeUndefined();
  });

  test("is looked up for 16 hosts at a time", async () => {
    const { networks, lookups } = heldLookups();
    const ask = () => Array.from({ length: 40 }, (_, at) => networks.of(`https://s${at}.example/`));
    ask();
    ask();
    expect(lookups.map(({ host }) => host)).toEqual(Array.from({ length: 16 }, (_, at) => `s${at}.example`));
    lookups[3]?.end(["192.0.2.1"]);
    await settled();
    ask();
    expect(lookups.map(({ host }) => host).slice(16)).toEqual(["s16.example"]);
  });
});
