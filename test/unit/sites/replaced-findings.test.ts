/** Findings that end without an improvement: the check no longer applies, or another fault is in their place. */
import { describe, expect, test } from "vitest";
import { address, failing, inShort, knownSite, openCodesOf, shown } from "./run-script.ts";

const week = 7 * 24 * 60;
const look = week + 10;
const shop = `${address}shop`;

describe("a finding whose check no longer applies", () => {
  test("is replaced in silence when its site breaks, and the break is all that is told", () => {
    const site = knownSite(["x.weak"], 99);
    const broken = shown({ codes: ["y.missing", "z.missing"], inapplicable: ["x"], score: 52 });
    expect(inShort(site.run(week, broken))).toEqual([]);
    expect(inShort(site.run(look, broken, "second-look"))).toEqual(["dropped 99 52", "opened y.missing z.missing"]);
    expect(site.state.findings["x.weak"]?.state).toBe("replaced");
  });

  test("is open again in silence when the site recovers, and the recovery is all that is told", () => {
    const site = knownSite(["x.weak"], 99);
    const broken = shown({ codes: ["y.missing"], inapplicable: ["x"], score: 52 });
    site.run(week, broken);
    site.run(look, broken, "second-look");
    expect(inShort(site.run(2 * week, shown({ codes: ["x.weak"], score: 99 })))).toEqual(["resolved y.missing"]);
    expect(openCodesOf(site)).toEqual(["x.weak"]);
    expect(site.secondLook()).toBeNull();
  });

  test("is back in silence after a flap", () => {
    const site = knownSite(["x.weak"], 99);
    site.run(week, shown({ codes: ["y.missing"], inapplicable: ["x"], score: 52 }));
    expect(site.run(look, shown({ codes: ["x.weak"], score: 99 }), "second-look")).toEqual([]);
    expect(openCodesOf(site)).toEqual(["x.weak"]);
    expect(site.state.doubts).toEqual({});
  });

  test("is not praised without a new finding either", () => {
    const site = knownSite(["x.weak"]);
    expect(site.run(week, shown({ inapplicable: ["x"] }))).toEqual([]);
    expect(openCodesOf(site)).toEqual([]);
    expect(site.site.reading?.open).toBe(0);
  });

  test("is resolved when its check passes later than it was replaced, once and only if it came back", () => {
    const site = knownSite(["x.weak"]);
    site.run(week, shown({ inapplicable: ["x"] }));
    expect(site.run(2 * week, shown({}))).toEqual([]);
    site.run(3 * week, shown({ codes: ["x.weak"] }));
    expect(inShort(site.run(4 * week, shown({})))).toEqual(["resolved x.weak"]);
  });

  test("is replaced if that holds for one of its addresses only", () => {
    const both = [address, shop];
    const site = knownSite();
    site.run(week, shown({ codes: ["x.weak"], urls: both, addresses: both }));
    site.run(look, shown({ codes: ["x.weak"], urls: both, addresses: both }), "second-look");
    const reading = shown({ addresses: both });
    const checks = new Map([...reading.checks].map(([key, check]) => [key, { ...check, inapplicableUrls: new Set([shop]) }]));
    expect(site.run(2 * week, { ...reading, checks })).toEqual([]);
  });
});

describe("a finding in whose place its check finds another fault", () => {
  test("is replaced: missing after weak is no improvement", () => {
    const site = knownSite(["x.weak"]);
    const worse = shown({ codes: ["x.missing"] });
    expect(site.run(week, worse)).toEqual([]);
    expect(inShort(site.run(look, worse, "second-look"))).toEqual(["opened x.missing"]);
    expect(site.state.findings["x.weak"]?.state).toBe("replaced");
  });

  test("is resolved if the other fault was known before", () => {
    const site = knownSite(["x.missing", "x.weak"]);
    expect(inShort(site.run(week, shown({ codes: ["x.missing"] })))).toEqual(["resolved x.weak"]);
  });

  test("stays open while its check has no verdict, whatever else is new", () => {
    const site = knownSite(["x.weak"]);
    expect(site.run(week, shown({ codes: ["y.missing"], undecided: ["x"] }))).toEqual([]);
    expect(openCodesOf(site)).toEqual(["x.weak"]);
  });

  test("keeps its acceptance over the replacement", () => {
    const site = knownSite(["x.weak"], 90, { accepted: [{ code: "x.weak", reason: "known", until: null, acceptedAt: "2026-11-02" }] });
    site.run(week, shown({ inapplicable: ["x"] }));
    expect(site.run(2 * week, shown({ codes: ["x.weak"] }))).toEqual([]);
    expect(site.state.findings["x.weak"]).toMatchObject({ state: "open", accepted: true });
  });
});

describe("while a second look is due", () => {
  test("nothing is praised, and the regression is told before the improvement", () => {
    const site = knownSite(["x.weak"], 99);
    const mixed = shown({ codes: ["y.missing"], score: 52 });
    expect(site.run(week, mixed)).toEqual([]);
    expect(site.secondLook()).toBe(look);
    expect(openCodesOf(site)).toEqual(["x.weak"]);
    expect(inShort(site.run(look, mixed, "second-look"))).toEqual(["dropped 99 52", "opened y.missing", "resolved x.weak"]);
    expect(site.run(2 * week, mixed)).toEqual([]);
  });

  test("a lower score alone holds the praise back too", () => {
    const site = knownSite(["x.weak"], 99);
    expect(site.run(week, shown({ score: 52 }))).toEqual([]);
    expect(inShort(site.run(look, shown({ score: 99 }), "second-look"))).toEqual(["resolved x.weak"]);
  });

  test("a finding that was gone in the first look only is no event", () => {
    const site = knownSite(["x.weak"], 99);
    site.run(week, shown({ codes: ["y.missing"], score: 52 }));
    expect(site.run(look, shown({ codes: ["x.weak"], score: 99 }), "second-look")).toEqual([]);
    expect(site.state.findings["x.weak"]).toMatchObject({ state: "open", flips: [] });
  });

  test("praise waits for a look that could not measure, and comes with the next one that does", () => {
    const site = knownSite(["x.weak"], 99);
    const mixed = shown({ codes: ["y.missing"], score: 52 });
    site.run(week, mixed);
    expect(site.run(look, failing("timeout"), "second-look")).toEqual([]);
    expect(inShort(site.run(look + 10, mixed, "second-look"))).toEqual(["dropped 99 52", "opened y.missing", "resolved x.weak"]);
  });

  test("an improvement of a paused site, which gets no second look, is told at once", () => {
    const site = knownSite(["x.weak"], 99, { paused: true });
    expect(inShort(site.run(week, shown({ codes: ["y.missing"], score: 52 }), "manual"))).toEqual(["resolved x.weak"]);
  });
});
