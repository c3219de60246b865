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
    const scores = new Map([
      [address, 70],
      [shop, 90],
    ]);
    site.run(week, { ...shown({ addresses, score: 70 }), scores });
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
    site.amend({ unmeasured: { [shop]: { since: "2026-11-01T12:00:00Z", errorCode: "timeout" } }, doubts: { "x.missing": oldDoubt } });
    site.run(week, shown(without));
    expect(site.state.unmeasured?.[shop]).toEqual({ since: "2026-11-01T12:00:00Z", errorCode: "timeout", failures: 1 });
    expect(site.state.doubts).toEqual({ "x.missing": oldDoubt });
    site.run(2 * week, shown({ addresses }));
    expect(site.state.doubts).toEqual({});
  });
});

const oldDoubt = { checkKey: "x", since: "2026-11-02T12:00:00Z" };
