/** Laws of watched sites over random runs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MeasuredReading, ReadCheck, RunReading } from "../../../src/sites/run-reading.ts";
import type { NewEvent } from "../../../src/store/site-events.ts";
import { address, failing, rulesGiven, scriptedSite, shown } from "./run-script.ts";

const codes = ["x.missing", "x.weak", "y.weak", "z.old"];
const codesOf = (key: string) => codes.filter((code) => code.startsWith(key));

interface Step {
  readonly minutes: number;
  readonly reading: RunReading;
  readonly lookAfter: boolean;
}

const anyUndecided = fc.subarray(["x", "y", "z"]);
const anyReading = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(failing(), failing(null), failing("no-worker", true)) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        codes: fc.subarray(codes),
        undecided: anyUndecided,
        silenced: fc.subarray(["x", "y", "z"]),
        score: fc.integer({ min: 0, max: 100 }),
        catalog: fc.constantFrom("c1", "c1", "c1", "c1", "c1", "c2"),
        listDate: fc.constantFrom("2026-10-01", "2026-10-01", "2026-11-01"),
      })
      .map(({ undecided, silenced, catalog, listDate, ...given }) => {
        const basis = { headerValueCharsMax: 512, dataDates: { hstsPreload: listDate } };
        const rules = { ...rulesGiven, catalogVersion: catalog, basis };
        const inapplicable = silenced.filter((key) => !given.codes.some((code) => codesOf(key).includes(code)));
        const decided = given.codes.filter((code) => !undecided.some((key) => codesOf(key).includes(code)));
        return shown({ ...given, codes: decided, undecided, inapplicable, rules });
      }),
  },
);
const anyStep: fc.Arbitrary<Step> = fc.record({
  minutes: fc.constantFrom(1, 60, 24 * 60, 7 * 24 * 60),
  reading: anyReading,
  lookAfter: fc.boolean(),
});
const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 40 });

/** Each step is a run. If it orders a second look and `lookAfter` holds, another one shows the same. */
function play(steps: readonly Step[]): readonly NewEvent[] {
  const site = scriptedSite();
  let minute = 0;
  return steps.flatMap(({ minutes, reading, lookAfter }) => {
    minute += minutes;
    const events = site.run(minute, reading);
    const lookAt = site.secondLook();
    if (lookAt === null || !lookAfter) return events;
    minute = lookAt;
    return [...events, ...site.run(minute, reading, "second-look")];
  });
}

/** Types of events by code of the finding, in their order. */
function byCode(events: readonly NewEvent[]): ReadonlyMap<string, readonly string[]> {
  const rows = events.flatMap(({ type, data }) => ("findings" in data ? data.findings.map(({ code }) => ({ code, type })) : []));
  return new Map([...Map.groupBy(rows, ({ code }) => code)].map(([code, found]) => [code, found.map(({ type }) => type)]));
}

describe("watched sites", () => {
  test("report each state of a finding once: no event comes twice without another between", () => {
    fc.assert(
      fc.property(
        fc.array(
          anyStep.filter(({ reading }) => !reading.measured || isOfFirstRules(reading)),
          { maxLength: 40 },
        ),
        (steps) => {
          for (const types of byCode(play(steps)).values()) for (const [at, type] of types.entries()) expect(types[at + 1]).not.toBe(type);
        },
      ),
    );
  });

  test("report the loss and the return of a site in turn", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const types = play(steps).flatMap(({ type }) => (type === "site.unreachable" || type === "site.recovered" ? [type] : []));
        expect(types).toEqual(types.map((_type, at) => (at % 2 === 0 ? "site.unreachable" : "site.recovered")));
      }),
    );
  });

  test("change no finding by a run without verdicts", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const site = scriptedSite();
        let minute = 0;
        for (const { minutes, reading } of steps) {
          minute += minutes;
          site.run(minute, reading);
          const before = site.state;
          if (before.rules === null) continue;
          const empty = shown({ undecided: ["x", "y", "z"], score: before.score ?? 0, rules: before.rules });
          const types = site.run(minute, empty).map(({ type }) => type);
          expect(types.filter((type) => type !== "site.recovered")).toEqual([]);
          expect(site.state.findings).toEqual(before.findings);
          expect(site.state.doubts).toEqual(before.doubts);
        }
      }),
    );
  });

  test("report no finding and no score in a run with another catalog", () => {
    fc.assert(
      fc.property(anySteps, anyReading, (steps, last) => {
        fc.pre(last.measured);
        const site = scriptedSite();
        let minute = 0;
        for (const { minutes, reading } of steps) {
          minute += minutes;
          site.run(minute, reading);
        }
        const rules = { ...rulesGiven, catalogVersion: "c3" };
        const types = site.run(minute + 60, { ...last, rules } as RunReading).map(({ type }) => type);
        expect(types.filter((type) => type !== "site.recovered")).toEqual([]);
        const open = Object.values(site.state.findings).filter(({ state }) => state === "open").length;
        expect(site.site.reading?.open).toBe(open);
      }),
    );
  });

  test("report the same with a further address that no run can measure", () => {
    const shop = `${address}shop`;
    const withShop = (reading: RunReading): RunReading =>
      reading.measured
        ? { ...reading, addresses: [address, shop], checks: undecidedOn(reading), unmeasured: new Map([[shop, "timeout"]]) }
        : { ...reading, addresses: [address, shop] };
    fc.assert(
      fc.property(anySteps, fc.nat({ max: 40 }), (steps, addedAt) => {
        const failingToo = steps.map((step, at) => (at < addedAt ? step : { ...step, reading: withShop(step.reading) }));
        expect(play(failingToo)).toEqual(play(steps));
      }),
    );
  });

  test("report the same with further addresses that score as the first, in any order", () => {
    const further = [`${address}shop`, `${address}blog`];
    const withAll = (reading: RunReading, order: readonly string[]): RunReading => {
      if (!reading.measured) return { ...reading, addresses: [address, ...order] };
      const score = reading.scores.get(address) ?? 0;
      const checks = new Map([...reading.checks].map(([key, check]) => [key, { ...check, decidedUrls: decidedOn(check, order) }]));
      const scores = new Map([address, ...order].map((url) => [url, score]));
      return { ...reading, addresses: [address, ...order], checks, scores };
    };
    fc.assert(
      fc.property(anySteps, fc.infiniteStream(fc.shuffledSubarray(further, { minLength: 2 })), (steps, orders) => {
        const moved = steps.map((step) => ({ ...step, reading: withAll(step.reading, orders.next().value ?? further) }));
        expect(play(moved)).toEqual(play(steps));
      }),
    );
  });

  test("drop below the reference only", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        for (const event of play(steps)) if (event.type === "site.score_dropped") expect(event.data.to).toBeLessThan(event.data.from);
      }),
    );
  });
});

/** No check has a verdict on every address. */
function undecidedOn({ checks }: MeasuredReading): MeasuredReading["checks"] {
  return new Map([...checks].map(([key, check]) => [key, { ...check, decided: false }]));
}

function decidedOn({ decidedUrls }: ReadCheck, further: readonly string[]): ReadonlySet<string> {
  return decidedUrls.size === 0 ? decidedUrls : new Set([...decidedUrls, ...further]);
}

function isOfFirstRules(reading: RunReading): boolean {
  return reading.measured && reading.rules.catalogVersion === "c1" && reading.rules.basis?.dataDates.hstsPreload === "2026-10-01";
}
