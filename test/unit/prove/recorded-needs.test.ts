/** Drafts from what visits of real applications observed, as `test/lab/prove/prove.test.ts` recorded it: they allow all of it, and little more. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BlockedByPolicy, DocumentShape } from "../../../src/evidence/observation.ts";
import { type DraftNeeds, draftPolicy, type Rung, rungs } from "../../../src/prove/draft.ts";
import { notAllowed, policiesWithoutEachSource } from "../../support/policy-sources.ts";
import { blockedBy, shapeOf } from "../../support/visited.ts";

// reads: test/unit/prove/recorded-needs.txt

interface Recorded {
  readonly name: string;
  readonly url: string;
  readonly formTargets: readonly string[];
  /** Code of the document in both visits without policy. */
  readonly codes: readonly Pick<DocumentShape, "inline" | "handlers">[];
  readonly blocked: readonly Partial<BlockedByPolicy>[];
}

const recorded: readonly Recorded[] = readFileSync(join(import.meta.dirname, "recorded-needs.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

/** Allowed for pages that were not visited: files of the own origin, and what scripts add. */
const beyondVisits: readonly string[] = ["'self'", "'strict-dynamic'"];

function needsOf({ url, formTargets, codes, blocked }: Recorded): DraftNeeds {
  const [one, other] = codes.map((code) => shapeOf(code));
  if (one === undefined || other === undefined) throw new Error(`${url} was not visited twice`);
  const terms = { pageUrl: url, nonce: "Tk9OQ0U0Tk9OQ0U0Tk9OQ", charsMax: 512, today: new Map() };
  return { ...terms, formTargets, shapes: [[one, other]], blocked: blocked.map(blockedBy) };
}

/** Rungs that a proof may come to: a nonce only where hashes cannot hold. */
function rungsOf(needs: DraftNeeds): readonly Rung[] {
  return rungs.filter((rung) => rung !== "strict-nonce" || "refused" in draftPolicy("strict-hash", needs));
}

describe.each(recorded)("$name", (application) => {
  const needs = needsOf(application);

  test.each(rungsOf(needs))("%s", (rung: Rung) => {
    const draft = draftPolicy(rung, needs);
    if ("refused" in draft) {
      expect([rung, draft.refused]).toEqual(["strict-hash", expect.stringMatching(/^(external-scripts|many-hashes|changing-scripts)$/)]);
      return;
    }
    const { policy } = draft;
    expect(notAllowed(policy, needs, application.url)).toEqual([]);
    const dropped = policiesWithoutEachSource(policy).map((one) => ({ ...one, missing: notAllowed(one.policy, needs, application.url) }));
    const useless = dropped.filter(({ missing }) => missing.length === 0);
    const unexplained = useless.filter(({ directive, source }) => directive !== "frame-ancestors" && !beyondVisits.includes(source));
    expect(unexplained.map(({ directive, source }) => `${directive} ${source}`)).toEqual([]);
    expect(dropped.length).toBeGreaterThan(useless.length);
  });
});
