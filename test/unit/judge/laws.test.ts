/** Properties of the ledger, for the complete catalog on random evidence. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import type { State } from "../../../src/check/check.ts";
import { type Evidence, failed, type ProbeFailure, type ReadingName, read } from "../../../src/evidence/evidence.ts";
import { readingNames } from "../../../src/evidence/facts.ts";
import type { HeaderField } from "../../../src/evidence/http-facts.ts";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { firstHttpsAnswer } from "../../../src/parse/header-fields.ts";
import { evidence } from "../../support/evidence.ts";
import { randomRuns } from "../../support/random-runs.ts";
import { anyEvidence } from "./any-evidence.ts";
import { expectSameButForOrder, judged } from "./judged.ts";
import { soundSite } from "./sound-site.ts";

const statesOf = ({ ledger }: StoredResult): ReadonlyMap<string, State> => new Map(ledger.map(({ key, state }) => [key, state]));

describe("properties of the complete catalog", () => {
  test("any evidence is judged without a fault and with equal results twice", () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        const result = judged(given);
        expect(result.ledger.map(({ key }) => key)).toEqual(builtInChecks.map(({ key }) => key));
        expect(judged(given)).toEqual(result);
        expect(structuredClone(result)).toEqual(result);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  test("the order of keys in evidence, and of checks, changes nothing", () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        expectSameButForOrder(judged(withKeysReversed(given), builtInChecks.toReversed()), judged(given));
      }),
      { numRuns: randomRuns(100) },
    );
  });

  test("readings are not modified", () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        const before = structuredClone(given);
        judged(given);
        expect(given).toEqual(before);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  const failures: readonly ProbeFailure[] = ["timeout", "refused", "challenged", "unsupported", "crashed", "not-asked"];

  describe.each(readingNames.map((name) => [name]))("when %s was not read", (name) => {
    test("a check that reads it returns notChecked or notApplicable", () => {
      fc.assert(
        fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
          const states = statesOf(judged({ ...given, [name]: failed(because) }));
          const sure = builtInChecks.filter(({ reads }) => reads.includes(name)).map(({ key }) => [key, states.get(key)]);
          expect(sure.filter(([, state]) => state === "passed" || state === "violated")).toEqual([]);
        }),
        { numRuns: randomRuns(25) },
      );
    });

    test("no check changes from passed to violated", () => {
      fc.assert(
        fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
          const before = judged(given);
          const after = judged({ ...given, [name]: failed(because) });
          const statesBefore = statesOf(before);
          const turned = after.ledger.filter(({ key, state }) => state === "violated" && statesBefore.get(key) === "passed");
          expect(turned.map(({ key }) => key)).toEqual([]);
        }),
        { numRuns: randomRuns(40) },
      );
    });
  });

  /** Optional readings: the header or the first load is judged without them. */
  const extras: Partial<Record<ReadingName, readonly string[]>> = { crossOrigin: ["csp-syntax"], dom: ["referrer-policy"] };

  test.each(readingNames.map((name) => [name]))("no violation becomes a pass when %s was not read", (name) => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
        const statesBefore = statesOf(judged(given));
        const { ledger } = judged({ ...given, [name]: failed(because) });
        const turned = ledger.filter(({ key, state }) => state === "passed" && statesBefore.get(key) === "violated");
        expect(turned.map(({ key }) => key).filter((key) => !extras[name]?.includes(key))).toEqual([]);
      }),
      { numRuns: randomRuns(40) },
    );
  });

  test("when every reading failed, no check is violated or passed", () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...failures), (given, because) => {
        const nothing = Object.fromEntries(readingNames.map((name) => [name, failed(because)])) as unknown as Evidence;
        const result = judged({ ...nothing, subject: given.subject });
        expect(result.ledger.filter(({ state }) => state === "passed" || state === "violated")).toEqual([]);
        expect([result.measured, result.score, result.band, result.rank]).toEqual([false, null, "unknown", "unknown"]);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  test("when only one reading succeeded, only that one causes violations", () => {
    for (const name of readingNames) {
      const alone = Object.fromEntries(
        readingNames.map((other) => [other, other === name ? soundSite[name] : failed("timeout")]),
      ) as unknown as Evidence;
      const result = judged({ ...alone, subject: soundSite.subject });
      const read = builtInChecks.filter(({ reads }) => reads.every((one) => one === name)).map(({ key }) => key);
      const ran = result.ledger.filter(({ state }) => state === "passed" || state === "violated").map(({ key }) => key);
      expect(ran.filter((key) => !read.includes(key))).toEqual([]);
      expect(result.ledger.filter(({ state }) => state === "violated")).toEqual([]);
    }
  });

  const declaring = builtInChecks.flatMap((check) => (check.headers ?? []).map((header) => [check.key, header, check] as const));
  test.each(declaring)("%s: notChecked when %s is longer than the limit", (_key, header, check) => {
    fc.assert(
      fc.property(anyEvidence, fc.boolean(), (given, isSecond) => {
        fc.pre(check.headersFrom !== "first-https" || hasHttpsAnswer(given));
        const [row] = judged(withCutHeader(given, header, isSecond), [check]).ledger;
        expect(["notChecked", "notApplicable"]).toContain(row?.state as string);
        // The kind of the page alone decides whether the check applies, before its headers are read.
        if (row?.state === "notApplicable") expect(check.appliesTo?.length ?? 0).toBeGreaterThan(0);
      }),
      { numRuns: randomRuns(10) },
    );
  });

  test.each([
    ["a policy that begins with frame-ancestors", "frame-ancestors 'none'; default-src 'none'; img-", "passed"],
    ["a policy without a complete frame-ancestors", "default-src 'none'; frame-anc", "notChecked"],
  ] as const)("a site without a fault scores 79 while it has %s and is too long to be read", (_words, value, framing) => {
    if (soundSite.page.status === "failed") throw new Error("the page of the sound site was read");
    const others = soundSite.page.facts.headers.filter(({ name }) => name !== "content-security-policy" && name !== "x-frame-options");
    const headers = [...others, { name: "content-security-policy", value, truncated: true }];
    const result = judged({ ...soundSite, page: read({ ...soundSite.page.facts, headers }) });
    expect([result.score, result.band]).toEqual([79, "warn"]);
    expect(statesOf(result).get("content-security-policy")).toBe("notChecked");
    expect(statesOf(result).get("x-frame-options")).toBe(framing);
    expect(result.findings).toEqual([]);
  });

  test("a site without a fault scores 100", () => {
    const result = judged(soundSite);
    expect(result.findings).toEqual([]);
    expect(result.score).toBe(100);
  });
});

function withKeysReversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withKeysReversed) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, withKeysReversed(part)]),
  ) as T;
}

/** Without an https answer, a check of the first https answer has no header to cut. */
function hasHttpsAnswer({ subject, navigation, page }: Evidence): boolean {
  if (navigation.status === "failed") return true;
  const last = page.status === "read" ? page.facts : navigation.facts.errorAnswer;
  return last === undefined || firstHttpsAnswer(subject, navigation.facts, last) !== null;
}

/** The cut header in every answer, as the first or the second field of its name. */
function withCutHeader(given: Evidence, name: string, isSecond: boolean): Evidence {
  const cut: HeaderField = { name, value: "x".repeat(headerValueCharsMax), truncated: true };
  const added = (headers: readonly HeaderField[]) => (isSecond ? [...headers, cut] : [cut, ...headers]);
  const { page, navigation } = given;
  const errorAnswer = navigation.status === "read" ? navigation.facts.errorAnswer : undefined;
  return {
    ...given,
    page: page.status === "read" ? read({ ...page.facts, headers: added(page.facts.headers) }) : page,
    navigation:
      navigation.status === "read"
        ? read({
            ...navigation.facts,
            hops: navigation.facts.hops.map((hop) => ({ ...hop, headers: added(hop.headers) })),
            ...(errorAnswer === undefined ? {} : { errorAnswer: { ...errorAnswer, headers: added(errorAnswer.headers) } }),
          })
        : navigation,
  };
}

test("these tests cover every reading", () => {
  expect([...readingNames].sort()).toEqual(
    Object.keys(evidence())
      .filter((name) => name !== "subject")
      .sort() as ReadingName[],
  );
});
