/** What follows from runs with other rules or addresses, and from those that measure nothing. */
import { describe, expect, test } from "vitest";
import type { RunRules } from "../../../src/store/site-runs.ts";
import { failing, inShort, knownSite as known, openCodesOf as openCodes, rulesGiven, scriptedSite, shown } from "./run-script.ts";

const week = 7 * 24 * 60;

function withRules(change: Partial<RunRules>, dates?: Readonly<Record<string, string>>): RunRules {
  const basis = { headerValueCharsMax: 512, dataDates: dates ?? { hstsPreload: "2026-10-01" } };
  return { ...rulesGiven, basis, ...change };
}

describe("other rules", () => {
  test.each([
    ["catalog", withRules({ catalogVersion: "c2" })],
    ["algorithm", withRules({ algorithmVersion: 4 })],
    ["header limit", withRules({ basis: { headerValueCharsMax: 900, dataDates: { hstsPreload: "2026-10-01" } } })],
    ["public suffix list", withRules({}, { hstsPreload: "2026-10-01", publicSuffixes: "2026-11-01" })],
  ])("a new %s begins a new baseline", (_name, rules) => {
    const site = known(["x.missing"], 90);
    expect(site.run(week, shown({ codes: ["y.weak"], score: 40, rules }))).toEqual([]);
    expect(site.secondLook()).toBeNull();
    expect(openCodes(site)).toEqual(["y.weak"]);
    expect(site.state.score).toBe(40);
    expect(inShort(site.run(2 * week, shown({ score: 40, rules })))).toEqual(["resolved y.weak"]);
  });

  test("a new data file silences the checks that use it, and no others", () => {
    const rules = withRules({}, { hstsPreload: "2026-11-01" });
    const site = known(["x.missing", "z.old"]);
    expect(inShort(site.run(week, shown({ codes: ["z.new", "y.weak"], rules })))).toEqual([]);
    expect(openCodes(site)).toEqual(["x.missing", "z.new"]);
    const confirmed = site.run(week + 10, shown({ codes: ["z.new", "y.weak"], rules }), "second-look");
    expect(inShort(confirmed)).toEqual(["opened y.weak", "resolved x.missing"]);
  });

  test("other code of a plugin check silences that check, and no others", () => {
    const coded = (plugins?: Readonly<Record<string, string>>) =>
      withRules({ basis: { headerValueCharsMax: 512, dataDates: {}, ...(plugins && { plugins }) } });
    const site = known([]);
    // Runs of earlier releases have no plugins, so nothing is known to differ.
    site.run(week, shown({ rules: coded() }));
    site.run(2 * week, shown({ codes: ["y.weak"], rules: coded({ y: "1", z: "1" }) }));
    expect(site.secondLook()).not.toBeNull();
    expect(inShort(site.run(2 * week + 10, shown({ codes: ["y.weak"], rules: coded({ y: "1", z: "1" }) }), "second-look"))).toEqual([
      "opened y.weak",
    ]);
    const changed = coded({ y: "1", z: "2" });
    expect(inShort(site.run(3 * week, shown({ codes: ["z.new"], score: 40, rules: changed })))).toEqual(["resolved y.weak"]);
    expect(openCodes(site)).toEqual(["z.new"]);
    expect(site.state.score).toBe(40);
    expect(inShort(site.run(4 * week, shown({ score: 90, rules: changed })))).toEqual(["resolved z.new"]);
  });

  test("a new data file that changes no finding leaves the score comparable", () => {
    const site = known();
    const rules = withRules({}, { hstsPreload: "2026-11-01" });
    site.run(week, shown({ score: 70, rules }));
    const later = withRules({}, { hstsPreload: "2026-11-02" });
    expect(inShort(site.run(week + 10, shown({ score: 70, rules: later }), "second-look"))).toEqual(["dropped 90 70"]);
  });

  test("a new data file that opens a finding moves the score without an event", () => {
    const site = known();
    const rules = withRules({}, { hstsPreload: "2026-11-01" });
    site.run(week, shown({ codes: ["z.new"], score: 70, rules }));
    expect(site.secondLook()).toBeNull();
    expect(site.state.score).toBe(70);
  });

  test("a data file is remembered over runs that do not use it", () => {
    const site = known(["z.old"]);
    site.run(week, shown({ undecided: ["z"], rules: withRules({}, {}) }));
    expect(site.run(2 * week, shown({ rules: withRules({}, { hstsPreload: "2026-11-09" }) }))).toEqual([]);
    expect(openCodes(site)).toEqual([]);
  });

  test("a check that is gone takes its findings with it", () => {
    const site = known(["gone.code", "x.missing"]);
    const rules = withRules({ catalogVersion: "c2" });
    expect(site.run(week, shown({ codes: ["x.missing"], rules }))).toEqual([]);
    expect(Object.keys(site.state.findings)).toEqual(["x.missing"]);
  });

  test("a check without a verdict in the baseline begins with its first verdict", () => {
    const site = scriptedSite();
    site.run(0, shown({ undecided: ["y"] }));
    expect(site.run(week, shown({ codes: ["y.weak"], score: 60 }))).toEqual([]);
    expect(site.secondLook()).toBeNull();
    expect(openCodes(site)).toEqual(["y.weak"]);
    site.run(2 * week, shown({ codes: ["y.weak", "y.other"], score: 60 }));
    expect(site.secondLook()).toBe(2 * week + 10);
  });
});

describe("other addresses", () => {
  test("of an earlier release, which kept none, begin a new baseline", () => {
    const site = known(["x.missing"]);
    site.amend(({ addresses: _none, ...state }) => state);
    expect(site.run(week, shown({ codes: ["y.weak"], score: 50 }))).toEqual([]);
    expect(openCodes(site)).toEqual(["y.weak"]);
  });

  test("with another first one begin anew", () => {
    const site = known(["x.missing"]);
    for (const minute of [week, week + 10, week + 20]) site.run(minute, failing());
    const reading = shown({ undecided: ["x"], addresses: ["https://b.example/"] });
    expect(site.run(week + 60, reading)).toEqual([]);
    expect(openCodes(site)).toEqual([]);
    expect(site.state).toMatchObject({ failures: 0, unreachable: false });
    expect(site.site.failingSince).toBeNull();
  });
});

describe("runs that measure nothing", () => {
  test("report the site after three of them, once, and its recovery", () => {
    const site = known(["x.missing"]);
    expect(site.run(week, failing())).toEqual([]);
    expect(site.secondLook()).toBe(week + 5);
    expect(site.run(week + 5, failing(), "second-look")).toEqual([]);
    expect(site.secondLook()).toBe(week + 10);
    expect(site.run(week + 10, failing("refused"), "second-look")).toEqual([
      { type: "site.unreachable", token: null, data: { since: "2026-11-09T12:00:00.000Z", errorCode: "refused" } },
    ]);
    expect(site.secondLook()).toBeNull();
    expect(site.run(2 * week, failing())).toEqual([]);
    expect(site.secondLook()).toBeNull();
    expect(site.site.failingSince).toBe("2026-11-09T12:00:00.000Z");
    expect(openCodes(site)).toEqual(["x.missing"]);
    expect(site.run(3 * week, shown({ codes: ["x.missing"] }))).toMatchObject([
      { type: "site.recovered", data: { since: "2026-11-09T12:00:00.000Z" } },
    ]);
    expect(site.site.failingSince).toBeNull();
    expect(site.run(4 * week, shown({ codes: ["x.missing"] }))).toEqual([]);
  });

  test("are forgotten when the second look measures the site", () => {
    const site = known();
    site.run(week, failing());
    expect(site.run(week + 10, shown({}), "second-look")).toEqual([]);
    expect(site.state.failures).toBe(0);
  });

  test("three within a minute, as by a person, are not enough", () => {
    const site = known();
    for (const minute of [week, week + 0.3, week + 0.6]) expect(site.run(minute, failing(), "manual")).toEqual([]);
    expect(inShort(site.run(week + 10, failing(), "second-look"))).toEqual(["site.unreachable"]);
  });

  test("count from the first run on", () => {
    const site = scriptedSite();
    const events = [0, 10, 20].flatMap((minute) => site.run(minute, failing()));
    expect(inShort(events)).toEqual(["site.unreachable"]);
  });

  test.each([
    ["cancelled", null],
    ["interrupted", 50],
    ["browser-unavailable", 50],
    ["no-worker", null],
    ["server-busy", 50],
  ])("by a fault of the appliance, %s, blame no site", (code, secondLook) => {
    const site = known();
    const events = [10, 20, 30, 40].flatMap((minute) => site.run(minute, failing(code, true)));
    expect(events).toEqual([]);
    expect(site.state.failures).toBe(0);
    expect(site.site.failingSince).toBeNull();
    expect(site.secondLook()).toBe(secondLook);
  });

  test.each(["cancelled", "interrupted", "browser-unavailable", "no-worker", "server-busy"])(
    "by %s repeat a second look, three times in a row",
    (code) => {
      const site = known();
      const broken = shown({ codes: ["x.missing"], score: 70 });
      site.run(week, broken);
      for (const looks of [1, 2, 3]) {
        expect(site.run(week + looks * 10, failing(code, true), "second-look")).toEqual([]);
        expect(site.secondLook()).toBe(week + looks * 10 + 10);
      }
      site.run(week + 40, failing(code, true), "second-look");
      expect(site.secondLook()).toBeNull();
      expect(inShort(site.run(2 * week, broken))).toEqual(["dropped 90 70", "opened x.missing"]);
      site.run(3 * week, shown({ codes: ["x.missing", "y.weak"], score: 70 }));
      site.run(3 * week + 10, failing(code, true), "second-look");
      expect(site.secondLook()).toBe(3 * week + 20);
    },
  );

  test("by a fault of the appliance repeat no second look of a paused site, or about an accepted finding", () => {
    const site = known();
    site.run(week, shown({ codes: ["x.missing"] }));
    const accepted = [{ code: "x.missing", reason: "later", until: null, acceptedAt: "2026-11-02T12:00:00Z" }];
    for (const change of [{ paused: true }, { paused: false, accepted }]) {
      site.change(change);
      site.run(week + 10, failing("no-worker", true), "second-look");
      expect(site.secondLook()).toBeNull();
    }
  });

  test("let the next look order a second one, since it shows the first findings", () => {
    const site = known();
    site.run(week, failing());
    site.run(week + 10, shown({ codes: ["x.missing"] }), "second-look");
    expect(site.secondLook()).toBe(week + 20);
  });

  test("by a fault of the appliance let the next look order a second one", () => {
    const site = known();
    site.run(week, failing("interrupted", true));
    site.run(week + 10, shown({ codes: ["x.missing"] }), "second-look");
    expect(site.secondLook()).toBe(week + 20);
    site.run(week + 20, shown({ codes: ["x.missing", "y.weak"] }), "second-look");
    expect(site.secondLook()).toBeNull();
  });

  test("keep doubts", () => {
    const site = known();
    site.run(week, shown({ codes: ["x.missing"], score: 70 }));
    site.run(week + 10, failing(), "second-look");
    expect(inShort(site.run(week + 20, shown({ codes: ["x.missing"], score: 70 }), "second-look"))).toEqual([
      "dropped 90 70",
      "opened x.missing",
    ]);
  });
});
