/** What follows from runs that cannot measure each further address of a site. */
import { describe, expect, test } from "vitest";
import { address, inShort, openCodesOf as openCodes, scriptedSite, shown } from "./run-script.ts";

const week = 7 * 24 * 60;
const shop = `${address}shop`;
const addresses = [address, shop];
/** The shop is not measured. */
const without = { addresses, missing: [shop] };

describe("an address that fails", () => {
  test("keeps no finding in doubt that the second look denies on the others", () => {
    const site = scriptedSite();
    site.run(0, shown(without));
    site.run(week, shown({ ...without, codes: ["x.missing"] }));
    expect(site.state.doubts["x.missing"]?.urls).toEqual([address]);
    site.run(week + 10, shown(without), "second-look");
    expect(site.state.doubts).toEqual({});
    expect(site.run(5 * week, shown({ ...without, codes: ["x.missing"] }))).toEqual([]);
    expect(site.secondLook()).toBe(5 * week + 10);
  });

  test("keeps a doubt of its own, until it has failed for too long", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses }));
    site.run(week, shown({ addresses, codes: ["x.missing"], urls: [shop] }));
    for (const minute of [week + 10, 2 * week]) {
      site.run(minute, shown(without));
      expect(Object.keys(site.state.doubts)).toEqual(["x.missing"]);
    }
    site.run(3 * week, shown(without));
    expect(site.state.doubts).toEqual({});
  });

  test("by a fault of the appliance is never lost: its doubts and findings stay", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses, codes: ["y.weak"], urls: [shop] }));
    site.run(week, shown({ addresses, codes: ["x.missing", "y.weak"], urls: [shop] }));
    for (const at of [2, 3, 4, 5, 6]) expect(site.run(at * week, shown({ ...without, missingBecause: "server-busy" }))).toEqual([]);
    expect(Object.keys(site.state.doubts)).toEqual(["x.missing"]);
    expect(openCodes(site)).toEqual(["y.weak"]);
    expect(site.state.unmeasured?.[shop]).toMatchObject({ errorCode: "server-busy", failures: 0 });
    expect(inShort(site.run(7 * week, shown({ addresses, codes: ["x.missing", "y.weak"], urls: [shop] })))).toEqual(["opened x.missing"]);
  });

  test("keeps no drop of the score in doubt that the second look denies on the others", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses }));
    site.run(week, shown({ ...without, score: 70 }));
    site.run(week + 10, shown(without), "second-look");
    expect(site.state.doubtedScore).toBeNull();
    expect(site.run(2 * week, shown({ addresses, score: 70 }))).toEqual([]);
    expect(site.secondLook()).toBe(2 * week + 10);
  });

  test("keeps no drop in doubt that only another one has shown", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses }));
    site.run(week, shown({ addresses, scores: { [address]: 70, [shop]: 90 } }));
    expect(site.state.doubtedScore?.urls).toEqual([address]);
    site.run(week + 10, shown(without), "second-look");
    expect(site.state.doubtedScore).toBeNull();
  });

  test("for good lets the score rise again, and the next drop is reported", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses }));
    const broken = { ...without, codes: ["x.missing"], score: 55 };
    site.run(week, shown(broken));
    expect(inShort(site.run(week + 10, shown(broken), "second-look"))).toEqual(["dropped 90 55", "opened x.missing"]);
    expect(inShort(site.run(2 * week, shown(without)))).toEqual(["resolved x.missing"]);
    expect(site.state.score).toBe(90);
    expect(site.site.reading?.score).toBe(90);
    site.run(3 * week, shown(broken));
    expect(inShort(site.run(3 * week + 10, shown(broken), "second-look"))).toEqual(["dropped 90 55", "opened x.missing"]);
  });

  test("keeps the score for two runs only, also for an open finding of its own", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses, codes: ["x.missing"], urls: [shop], score: 55 }));
    for (const [runs, score] of [55, 55, 90].entries()) {
      site.run((runs + 1) * week, shown(without));
      expect([site.state.score, site.site.reading?.score]).toEqual([score, score]);
    }
    expect(openCodes(site)).toEqual(["x.missing"]);
  });

  test("three times within a minute still counts", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses, score: 55 }));
    for (const minute of [week, week + 0.3, week + 0.6]) site.run(minute, shown(without), "manual");
    expect(site.state.score).toBe(55);
  });

  test("goes on failing in a state of an earlier release", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses, score: 55 }));
    const unmeasured = { [shop]: { since: "2026-11-01T12:00:00Z", errorCode: "timeout" } };
    site.amend(({ unreadAddresses: _none, ...state }) => ({ ...state, unmeasured, doubts: { "x.missing": oldDoubt } }));
    site.run(week, shown(without));
    expect(site.state.unmeasured?.[shop]).toEqual({ since: "2026-11-01T12:00:00Z", errorCode: "timeout", failures: 1 });
    expect(site.state.doubts).toEqual({ "x.missing": oldDoubt });
    site.run(2 * week, shown({ addresses }));
    expect(site.state.doubts).toEqual({});
  });
});

test("a score in doubt in a state of an earlier release, without addresses, is confirmed", () => {
  const site = scriptedSite();
  site.run(0, shown({ score: 90 }));
  site.run(week, shown({ score: 60 }));
  site.amend(({ doubtedScore, ...state }) => {
    const { urls: _none, ...doubt } = doubtedScore ?? { score: 0, since: "" };
    return { ...state, doubtedScore: doubt };
  });
  expect(inShort(site.run(week + 10, shown({ score: 60 }), "second-look"))).toEqual(["dropped 90 60"]);
});

describe("an address that is read for the first time", () => {
  test("after a failure in the first run brings its findings and its score without events", () => {
    const site = scriptedSite();
    site.run(0, shown(without));
    expect(site.state.unreadAddresses).toEqual([shop]);
    const whole = shown({ addresses, codes: ["x.missing"], urls: [shop], scores: { [address]: 90, [shop]: 60 } });
    for (const minute of [week, week + 10, 2 * week]) {
      expect(site.run(minute, whole)).toEqual([]);
      expect(site.secondLook()).toBeNull();
      expect([site.state.score, site.site.reading?.score, openCodes(site)]).toEqual([60, 60, ["x.missing"]]);
    }
    expect(site.state.unreadAddresses).toEqual([]);
  });

  test("hides no change on the others", () => {
    const site = scriptedSite();
    site.run(0, shown(without));
    const whole = { addresses, codes: ["x.missing"], urls: addresses, scores: { [address]: 70, [shop]: 80 } };
    site.run(week, shown(whole));
    expect(site.state.score).toBe(80);
    expect(inShort(site.run(week + 10, shown(whole), "second-look"))).toEqual(["dropped 80 70", "opened x.missing"]);
  });

  test("fails again later: then its score is kept for two runs", () => {
    const site = scriptedSite();
    site.run(0, shown(without));
    site.run(week, shown({ addresses, scores: { [address]: 90, [shop]: 60 } }));
    site.run(2 * week, shown(without));
    expect([site.state.score, site.site.reading?.score]).toEqual([60, 60]);
  });

  test("and never before lets the score of the others rise", () => {
    const site = scriptedSite();
    site.run(0, shown({ ...without, score: 70 }));
    site.run(week, shown(without));
    expect([site.state.score, site.site.reading?.score]).toEqual([90, 90]);
  });

  test("after it was lost begins anew", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses }));
    for (const runs of [1, 2, 3]) site.run(runs * week, shown(without));
    expect(site.state.unreadAddresses).toEqual([shop]);
    const whole = shown({ addresses, codes: ["x.missing"], urls: [shop], scores: { [address]: 90, [shop]: 60 } });
    expect(site.run(4 * week, whole)).toEqual([]);
    expect(site.run(5 * week, whole)).toEqual([]);
    expect([site.state.score, openCodes(site)]).toEqual([60, ["x.missing"]]);
    expect(inShort(site.run(6 * week, shown({ addresses })))).toEqual(["resolved x.missing"]);
  });
});

describe("other further addresses", () => {
  test("between a finding and its second look hide neither it nor the score", () => {
    const site = scriptedSite();
    site.run(0, shown({}));
    site.run(week, shown({ codes: ["x.missing"], score: 70 }));
    const whole = { addresses, codes: ["x.missing", "y.weak"], urls: [shop], scores: { [address]: 70, [shop]: 40 } };
    const findings = new Map([...shown(whole).findings, ...shown({ codes: ["x.missing"], urls: addresses }).findings]);
    expect(inShort(site.run(week + 10, { ...shown(whole), findings }, "second-look"))).toEqual(["dropped 90 70", "opened x.missing"]);
    expect([site.state.score, openCodes(site)]).toEqual([40, ["x.missing", "y.weak"]]);
    expect(site.run(2 * week, { ...shown(whole), findings })).toEqual([]);
  });

  test("in another order are the same", () => {
    const blog = `${address}blog`;
    const site = scriptedSite();
    site.run(0, shown({ addresses: [address, shop, blog] }));
    site.run(week, shown({ addresses: [address, shop, blog], codes: ["x.missing"], score: 70 }));
    const events = site.run(week + 10, shown({ addresses: [address, blog, shop], codes: ["x.missing"], score: 70 }), "second-look");
    expect(inShort(events)).toEqual(["dropped 90 70", "opened x.missing"]);
  });

  test("that are removed take their findings and doubts with them, without events", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses, codes: ["x.missing"], urls: [shop], score: 60 }));
    site.run(week, shown({ addresses, codes: ["x.missing", "y.weak"], urls: [shop], score: 60 }));
    expect(site.run(week + 10, shown({}), "second-look")).toEqual([]);
    expect(site.state).toMatchObject({ score: 90, findings: {}, doubts: {} });
    expect(site.site.reading?.score).toBe(90);
    site.run(2 * week, shown({ codes: ["x.missing"] }));
    expect(inShort(site.run(2 * week + 10, shown({ codes: ["x.missing"] }), "second-look"))).toEqual(["opened x.missing"]);
  });

  test("leave findings of addresses that stay", () => {
    const site = scriptedSite();
    site.run(0, shown({ addresses, codes: ["x.missing"], urls: addresses, score: 60 }));
    expect(inShort(site.run(week, shown({})))).toEqual(["resolved x.missing"]);
  });
});

const oldDoubt = { checkKey: "x", since: "2026-11-02T12:00:00Z" };
