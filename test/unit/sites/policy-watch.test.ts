/** What follows from a try of the planned headers of a site. */
import { describe, expect, test } from "vitest";
import type { BlockedByPolicy } from "../../../src/evidence/observation.ts";
import type { ProofBody } from "../../../src/evidence/proof.ts";
import { policyAfter, watchedPolicyOf } from "../../../src/sites/policy-watch.ts";
import type { Site, WatchedPolicy } from "../../../src/store/sites.ts";
import { blockedBy } from "../../support/visited.ts";

const at = (minute: number) => new Date(Date.parse("2026-05-06T07:00:00.000Z") + minute * 60_000);
const url = "https://shop.example/";
const headers = [{ name: "Content-Security-Policy", value: "default-src 'self'" }];
const token = "67nIDqqCondMLX7iB8bYxR";
const proof = { token, url };
const body = { proven: true, headers } as unknown as ProofBody;
const bare = { url, pages: ["https://shop.example/cart"], paused: false, secondLookAt: null } as unknown as Site;
const policy = watchedPolicyOf(bare, proof, body, at(0)) as WatchedPolicy;
const watched: Site = { ...bare, policy };
const works = { works: true, blocked: [], blockedDropped: 0 };
const breaks = (...blocked: readonly BlockedByPolicy[]) => ({ works: false, blocked, blockedDropped: 0 });
const inline = blockedBy({ kind: "inline" });

/** The site after some tries, each at its minute, and the events of each. */
function afterTries(tries: readonly (readonly [minute: number, tried: typeof works | ReturnType<typeof breaks>])[], from = watched) {
  let site = from;
  const events = tries.map(([minute, tried]) => {
    const noted = policyAfter(site, tried, policy, token, at(minute));
    site = { ...site, ...noted?.site };
    return noted?.events ?? [];
  });
  return { site, events, types: events.map((each) => each.map(({ type }) => type)) };
}

describe("a page that breaks", () => {
  test("has a second look, and one event once that agrees", () => {
    const first = afterTries([[0, breaks(inline)]]);
    expect([first.types, first.site.secondLookAt]).toEqual([[[]], at(10).toISOString()]);
    const { types, events } = afterTries([
      [0, breaks(inline)],
      [10, breaks(inline)],
      [60, breaks(inline)],
    ]);
    expect(types).toEqual([[], ["policy.broken"], []]);
    expect(events[1]?.[0]?.data).toEqual({
      url,
      since: at(0).toISOString(),
      blocked: [{ directive: "script-src-elem", url: null, kind: "inline" }],
      blockedDropped: 0,
    });
  });

  test("is not confirmed by a run that a person starts a minute later, which orders the look again", () => {
    const { types, site } = afterTries([
      [0, breaks(inline)],
      [1, breaks(inline)],
    ]);
    expect([types, site.secondLookAt]).toEqual([[[], []], at(10).toISOString()]);
    const again = afterTries([[0, breaks(inline)]]);
    const cleared = { ...again.site, secondLookAt: null };
    expect(afterTries([[1, breaks(inline)]], cleared).site.secondLookAt).toBe(at(11).toISOString());
  });

  test("that works in the second look was nothing", () => {
    const { types, site } = afterTries([
      [0, breaks(inline)],
      [10, works],
      [20, breaks(inline)],
    ]);
    expect([types, site.policy?.brokenSince, site.policy?.reported]).toEqual([[[], [], []], at(20).toISOString(), false]);
  });

  test("and works again is told once", () => {
    const { types, site } = afterTries([
      [0, breaks(inline)],
      [10, breaks(inline)],
      [20, works],
      [30, works],
    ]);
    expect(types).toEqual([[], ["policy.broken"], ["policy.recovered"], []]);
    expect(site.policy).toEqual({ ...policy, triedAt: at(30).toISOString() });
  });

  test("names each thing once and without its query, and at most ten", () => {
    const many = Array.from({ length: 12 }, (_, n) => blockedBy({ url: `https://cdn.example/${n}.js?session=${n}` }));
    const { site, events } = afterTries([
      [0, breaks(...many)],
      [10, breaks(...many, blockedBy({ url: "https://cdn.example/0.js?session=9" }))],
    ]);
    expect(site.policy?.blocked).toHaveLength(10);
    expect(JSON.stringify(site.policy?.blocked)).not.toContain("session");
    expect(events[1]?.[0]?.data).toMatchObject({ blockedDropped: 2 });
  });

  test("of a paused site has no second look", () => {
    expect(afterTries([[0, breaks(inline)]], { ...watched, paused: true }).site.secondLookAt).toBeNull();
  });
});

test("a policy that was replaced or removed meanwhile is left alone", () => {
  expect(policyAfter({ ...watched, policy: null }, breaks(inline), policy, token, at(0))).toBeNull();
  expect(policyAfter({ ...watched, policy: { ...policy, savedAt: at(5).toISOString() } }, breaks(inline), policy, token, at(9))).toBeNull();
});

test("only proven headers of a page of the site are watched", () => {
  expect(watchedPolicyOf(bare, { token, url: "https://shop.example/cart" }, body, at(0))).toMatchObject({
    url: "https://shop.example/cart",
  });
  expect(watchedPolicyOf(bare, { token, url: "https://other.example/" }, body, at(0))).toBe("other-page");
  expect(watchedPolicyOf(bare, proof, undefined, at(0))).toBe("not-proven");
  expect(watchedPolicyOf(bare, proof, { ...body, proven: false }, at(0))).toBe("not-proven");
  const long = (chars: number) => ({ ...body, headers: [{ name: "A", value: "x".repeat(chars - 1) }] });
  expect(watchedPolicyOf(bare, proof, long(8_192), at(0))).toMatchObject({ url });
  expect(watchedPolicyOf(bare, proof, long(8_193), at(0))).toBe("too-long");
});
