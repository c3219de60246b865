/** What follows from runs: findings after two looks, unstable and accepted ones, drops of the score. */
import { describe, expect, test } from "vitest";
import { address, inShort, knownSite as known, openCodesOf as openCodes, type ScriptedSite, scriptedSite, shown } from "./run-script.ts";

const day = 24 * 60;
const week = 7 * day;

describe("the first measured run", () => {
  test("opens its findings without events and without a second look", () => {
    const site = known(["x.missing", "y.weak"], 71);
    expect(openCodes(site)).toEqual(["x.missing", "y.weak"]);
    expect(site.secondLook()).toBeNull();
    expect(site.site.reading).toMatchObject({ score: 71, band: "warn", rank: "fair", open: 2 });
    expect(site.site.trend).toEqual([71]);
  });
});

describe("a new finding", () => {
  test("opens when a second look confirms it, once", () => {
    const site = known();
    expect(site.run(week, shown({ codes: ["x.missing"] }))).toEqual([]);
    expect(site.secondLook()).toBe(week + 10);
    expect(openCodes(site)).toEqual([]);
    const events = site.run(week + 10.5, shown({ codes: ["x.missing"] }), "second-look");
    expect(inShort(events)).toEqual(["opened x.missing"]);
    expect(events[0]?.data).toMatchObject({ since: "2026-11-09T12:00:00.000Z" });
    expect(site.state.findings["x.missing"]?.since).toBe("2026-11-09T12:00:00.000Z");
    expect(site.secondLook()).toBeNull();
    expect(site.run(2 * week, shown({ codes: ["x.missing"] }))).toEqual([]);
  });

  test("is forgotten when the second look does not show it", () => {
    const site = known();
    site.run(week, shown({ codes: ["x.missing"] }));
    expect(site.run(week + 10, shown({}), "second-look")).toEqual([]);
    expect(site.state.doubts).toEqual({});
    site.run(2 * week, shown({ codes: ["x.missing"] }));
    expect(openCodes(site)).toEqual([]);
  });

  test("stays in doubt while its check has no verdict, and opens at the next run that shows it", () => {
    const site = known();
    site.run(week, shown({ codes: ["x.missing"] }));
    expect(site.run(week + 10, shown({ undecided: ["x"] }), "second-look")).toEqual([]);
    expect(site.secondLook()).toBeNull();
    expect(inShort(site.run(2 * week, shown({ codes: ["x.missing"] })))).toEqual(["opened x.missing"]);
  });

  test("of a second look orders no third look", () => {
    const site = known();
    site.run(week, shown({ codes: ["x.missing"] }));
    expect(inShort(site.run(week + 10, shown({ codes: ["x.missing", "y.weak"] }), "second-look"))).toEqual(["opened x.missing"]);
    expect(site.secondLook()).toBeNull();
    expect(inShort(site.run(2 * week, shown({ codes: ["x.missing", "y.weak"] })))).toEqual(["opened y.weak"]);
  });

  test("is not confirmed by a run a minute later, which orders the second look again", () => {
    const site = known();
    site.run(week, shown({ codes: ["x.missing"] }));
    expect(site.run(week + 1, shown({ codes: ["x.missing"] }), "manual")).toEqual([]);
    expect(site.secondLook()).toBe(week + 11);
    expect(inShort(site.run(week + 11, shown({ codes: ["x.missing"] }), "second-look"))).toEqual(["opened x.missing"]);
  });

  test("is confirmed after the clock was set back by a day", () => {
    const site = known();
    site.run(week, shown({ codes: ["x.missing"] }));
    expect(inShort(site.run(week - day, shown({ codes: ["x.missing"] }), "second-look"))).toEqual(["opened x.missing"]);
  });

  test("orders no second look for a paused site", () => {
    const site = known([], 90, { paused: true });
    site.run(week, shown({ codes: ["x.missing"] }), "manual");
    expect(site.secondLook()).toBeNull();
  });

  test("comes in one event with others, the worst first", () => {
    const site = known();
    const worst = new Map([...shown({ codes: ["x.a", "y.b"] }).findings, ...shown({ codes: ["z.c"], severity: "critical" }).findings]);
    const reading = { ...shown({}), findings: worst };
    site.run(week, reading);
    expect(inShort(site.run(week + 10, reading, "second-look"))).toEqual(["opened z.c x.a y.b"]);
  });
});

describe("an open finding", () => {
  test("is resolved at once, and only by a verdict", () => {
    const site = known(["x.missing"]);
    expect(site.run(week, shown({ undecided: ["x"] }))).toEqual([]);
    expect(openCodes(site)).toEqual(["x.missing"]);
    expect(inShort(site.run(2 * week, shown({})))).toEqual(["resolved x.missing"]);
    expect(site.run(3 * week, shown({}))).toEqual([]);
  });

  test("is not resolved before each address that had it was read without it", () => {
    const addresses = [address, `${address}shop`];
    const missing = [`${address}shop`];
    const site = scriptedSite();
    site.run(0, shown({ codes: ["x.missing"], addresses, urls: addresses, score: 60 }));
    expect(site.run(day, shown({ codes: ["x.missing"], addresses, missing, score: 60 }))).toEqual([]);
    expect(site.state.findings["x.missing"]?.urls).toEqual(addresses);
    expect(site.run(2 * day, shown({ addresses, missing, score: 95 }))).toEqual([]);
    expect(site.state.findings["x.missing"]).toMatchObject({ state: "open", urls: missing });
    expect(inShort(site.run(3 * day, shown({ addresses, score: 95 })))).toEqual(["resolved x.missing"]);
  });

  test("is resolved although an address that never had it fails for good", () => {
    const addresses = [address, `${address}shop`];
    const missing = [`${address}shop`];
    const site = scriptedSite();
    site.run(0, shown({ codes: ["x.missing"], addresses, missing }));
    expect(site.run(week, shown({ codes: ["x.missing"], addresses, missing }))).toEqual([]);
    expect(inShort(site.run(2 * week, shown({ addresses, missing })))).toEqual(["resolved x.missing"]);
  });

  test("keeps the known score while an address is not measured", () => {
    const addresses = [address, `${address}shop`];
    const site = scriptedSite();
    site.run(0, shown({ codes: ["x.missing"], addresses, urls: addresses, score: 60 }));
    expect(site.run(week, shown({ addresses, missing: [`${address}shop`], score: 95 }))).toEqual([]);
    expect(site.site.reading?.score).toBe(60);
    expect(site.state.score).toBe(60);
    expect(site.state.unmeasured).toEqual({ [`${address}shop`]: { since: "2026-11-09T12:00:00.000Z", errorCode: "timeout", failures: 1 } });
    expect(inShort(site.run(2 * week, shown({ addresses, score: 95 })))).toEqual(["resolved x.missing"]);
    expect(site.state.unmeasured).toEqual({});
    expect(site.site.reading?.score).toBe(95);
  });
});

describe("a finding that comes and goes", () => {
  /** Opens and resolves `x.missing` once in every two hours; returns the events. */
  function flap(site: ScriptedSite, from: number, times: number, score = 90): readonly string[] {
    return Array.from({ length: times }, (_none, at) => {
      const minute = from + at * 120;
      return [
        ...site.run(minute, shown({ codes: ["x.missing"], score })),
        ...site.run(minute + 10, shown({ codes: ["x.missing"], score }), "second-look"),
        ...site.run(minute + 60, shown({})),
      ];
    }).flatMap(inShort);
  }

  test("is reported as unstable after four changes, and is silent then", () => {
    const site = known();
    expect(flap(site, day, 6)).toEqual([
      "opened x.missing",
      "resolved x.missing",
      "opened x.missing",
      "resolved x.missing",
      "unstable x.missing",
    ]);
    expect(site.state.findings["x.missing"]).toMatchObject({ state: "resolved", unstable: true });
  });

  test("is reported again when it has kept its state for a week", () => {
    const site = known();
    flap(site, day, 6);
    expect(flap(site, 4 * day, 1)).toEqual([]);
    expect(flap(site, 12 * day, 1)).toEqual(["opened x.missing", "resolved x.missing"]);
  });

  test("moves the score without an event while it is silent", () => {
    const site = known();
    const events = flap(site, day, 24, 70);
    expect(events.filter((event) => event.startsWith("dropped"))).toEqual(["dropped 90 70", "dropped 90 70", "dropped 90 70"]);
    expect(events.at(-1)).toBe("unstable x.missing");
    expect(site.state).toMatchObject({ score: 90, doubtedScore: null });
  });

  test("hides no drop of the score by another finding", () => {
    const site = known();
    flap(site, day, 6, 70);
    const broken = { codes: ["y.weak"], score: 60 };
    site.run(3 * day, shown({ codes: ["x.missing"], score: 70 }));
    site.run(3 * day + 10, shown({ codes: ["x.missing"], score: 70 }), "second-look");
    expect(site.run(3 * day + 60, shown(broken))).toEqual([]);
    expect(inShort(site.run(3 * day + 70, shown(broken), "second-look"))).toEqual(["dropped 70 60", "opened y.weak"]);
  });

  test("keeps few instants", () => {
    const site = known();
    flap(site, day, 40);
    expect(site.state.findings["x.missing"]?.flips).toHaveLength(5);
  });
});

describe("an accepted finding", () => {
  const accepted = { code: "x.missing", reason: "later", until: "2026-11-20", acceptedAt: "2026-11-02T12:00:00Z" };

  test("opens, resolves and flaps without events, and does not count as open", () => {
    const site = known([], 90, { accepted: [accepted] });
    expect(site.run(day, shown({ codes: ["x.missing"] }))).toEqual([]);
    expect(site.secondLook()).toBeNull();
    expect(site.run(2 * day, shown({ codes: ["x.missing"] }))).toEqual([]);
    expect(openCodes(site)).toEqual(["x.missing"]);
    expect(site.site.reading?.open).toBe(0);
    expect(site.run(3 * day, shown({}))).toEqual([]);
  });

  test("is reported once when the acceptance ends and a run still shows it", () => {
    const site = known(["x.missing"], 90, { accepted: [accepted] });
    site.run(week, shown({ codes: ["x.missing"] }));
    expect(site.run(3 * week, shown({ undecided: ["x"] }))).toEqual([]);
    expect(inShort(site.run(4 * week, shown({ codes: ["x.missing"] })))).toEqual(["opened x.missing"]);
    expect(site.run(5 * week, shown({ codes: ["x.missing"] }))).toEqual([]);
  });

  test("is reported when the acceptance begins and ends between two runs", () => {
    const site = known(["x.missing"]);
    site.change({ accepted: [{ ...accepted, until: "2026-11-05", acceptedAt: "2026-11-03T12:00:00Z" }] });
    expect(inShort(site.run(week, shown({ codes: ["x.missing"] })))).toEqual(["opened x.missing"]);
    expect(site.run(2 * week, shown({ codes: ["x.missing"] }))).toEqual([]);
  });

  test("is reported by the next verdict, if runs without one are all that saw the acceptance", () => {
    const site = known(["x.missing"]);
    site.change({ accepted: [{ ...accepted, acceptedAt: "2026-11-03T12:00:00Z" }] });
    for (const runs of [1, 3, 4]) expect(site.run(runs * week, shown({ undecided: ["x"] }))).toEqual([]);
    expect(inShort(site.run(5 * week, shown({ codes: ["x.missing"] })))).toEqual(["opened x.missing"]);
    expect(site.run(6 * week, shown({ codes: ["x.missing"] }))).toEqual([]);
  });

  test("that is unstable when the acceptance ends is reported when its silence ends", () => {
    const site = known(["x.missing"], 90, { accepted: [{ ...accepted, until: "2026-11-05" }] });
    const broken = shown({ codes: ["x.missing"] });
    for (const hours of [1, 2, 3, 4, 5, 6]) {
      expect(site.run(3 * day + hours * 60, shown({}))).toEqual([]);
      expect(site.run(3 * day + hours * 60 + 10, broken)).toEqual([]);
      expect(site.run(3 * day + hours * 60 + 20, broken, "second-look")).toEqual([]);
    }
    expect(site.state.findings["x.missing"]).toMatchObject({ state: "open", unstable: true, accepted: true });
    for (const days of [5, 6, 8]) expect(site.run(days * day, broken)).toEqual([]);
    site.run(9 * day, shown({}));
    site.run(9 * day + 10, broken);
    expect(site.run(9 * day + 20, broken, "second-look")).toEqual([]);
    expect(site.run(12 * day, broken)).toEqual([]);
    expect(inShort(site.run(17 * day, broken))).toEqual(["opened x.missing"]);
    expect(site.run(18 * day, broken)).toEqual([]);
  });

  test("is not reported when the owner withdraws the acceptance", () => {
    const site = known(["x.missing"], 90, { accepted: [accepted] });
    site.run(week, shown({ codes: ["x.missing"] }));
    site.change({ accepted: [] });
    expect(site.run(2 * week, shown({ codes: ["x.missing"] }))).toEqual([]);
    expect(site.site.reading?.open).toBe(1);
  });
});

describe("a drop of the score", () => {
  test.each([
    [90, 85, "dropped 90 85"],
    [90, 86, null],
    [82, 79, "dropped 82 79"],
    [52, 49, "dropped 52 49"],
    [60, 56, null],
  ])("from %i to %i", (from, to, event) => {
    const site = known([], from);
    expect(site.run(week, shown({ score: to }))).toEqual([]);
    expect(site.secondLook()).toBe(event === null ? null : week + 10);
    const second = event === null ? [] : inShort(site.run(week + 10, shown({ score: to }), "second-look"));
    expect(second).toEqual(event === null ? [] : [event]);
    expect(site.run(2 * week, shown({ score: to }))).toEqual([]);
    expect(site.state.score).toBe(event === null ? from : to);
  });

  test("that the second look denies is forgotten", () => {
    const site = known();
    site.run(week, shown({ score: 70 }));
    expect(site.run(week + 10, shown({ score: 90 }), "second-look")).toEqual([]);
    site.run(2 * week, shown({ score: 70 }));
    expect(site.secondLook()).toBe(2 * week + 10);
  });

  test("in small steps is noticed in the end", () => {
    const site = known();
    expect(site.run(week, shown({ score: 88 }))).toEqual([]);
    expect(site.run(2 * week, shown({ score: 86 }))).toEqual([]);
    expect(site.run(3 * week, shown({ score: 84 }))).toEqual([]);
    expect(inShort(site.run(3 * week + 10, shown({ score: 84 }), "second-look"))).toEqual(["dropped 90 84"]);
  });

  test("is measured from the last rise", () => {
    const site = known([], 70);
    expect(site.run(week, shown({ score: 90 }))).toEqual([]);
    site.run(2 * week, shown({ score: 80 }));
    expect(inShort(site.run(2 * week + 10, shown({ score: 80 }), "second-look"))).toEqual(["dropped 90 80"]);
  });

  test("does not follow from a rise that an unread check has made", () => {
    const site = known(["x.missing"], 80);
    site.run(week, shown({ undecided: ["x"], score: 90 }));
    expect(site.run(2 * week, shown({ codes: ["x.missing"], score: 80 }))).toEqual([]);
    expect(site.secondLook()).toBeNull();
  });
});
