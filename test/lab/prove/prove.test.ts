/**
 * Real applications: the strictest policy that works is found, and it works where nginx truly sends it.
 *
 * Eight of them always run. `PROVE_APPLICATIONS=all` adds the others, and names separated by commas choose: `PROVE_APPLICATIONS=Fossil,React`. Some
 * install packages of npm from the registry, and others need their Debian packages. `PROVE_RECORD_TO=FILE` adds what the visits needed.
 */
import { appendFileSync, existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { rungs } from "../../../src/evidence/proof.ts";
import { nonceMark } from "../../../src/prove/draft.ts";
import { proofJson } from "../../../src/prove/proof-json.ts";
import { type Proof, policiesIn } from "../../../src/prove/prove.ts";
import { policyAllows } from "../../support/policy-sources.ts";
import { type DnsTree, startDnsTree } from "../dns-tree.ts";
import { applicationHost, eightApplications, furtherApplications, type ProvedApplication, stopApplications } from "./applications.ts";
import { npmApplications } from "./npm-applications.ts";
import {
  type ApplicationProof,
  needsOf,
  proveApplication,
  type SentHeaders,
  visitWithoutEachSource,
  visitWithSentHeaders,
  type Weakened,
  withFront,
} from "./prover.ts";

const testMsMax = 600_000;
const recordTo = process.env.PROVE_RECORD_TO;
const asked = process.env.PROVE_APPLICATIONS ?? "";
const all = [...eightApplications, ...furtherApplications, ...npmApplications];
const chosen = asked === "" ? eightApplications : all.filter(({ name }) => asked === "all" || asked.split(",").includes(name));
const records = "@ IN A 127.0.0.1";
const hosts = [applicationHost, "assay-applications-site.org", "assay-wordpress-site.org"];

let tree: DnsTree;
const rows: string[][] = [];
beforeAll(async () => {
  tree = await startDnsTree(hosts.map((name) => ({ name, records })));
}, testMsMax);
afterAll(async () => {
  for (const row of rows) console.log(row.join(" | "));
  await stopApplications();
  await tree.stop();
}, testMsMax);

describe.each(chosen)("$name", (application) => {
  test(
    "is proven, and the policy works where nginx sends it",
    async () => {
      expect(application.file === null || existsSync(application.file)).toBe(true);
      const works = (application.verdict ?? "works") === "works";
      const running = await application.start();
      try {
        const page = { ...running, url: `https://${running.host}${running.path ?? application.path}`, resolver: tree.resolver };
        const { proven, weakened } = await withFront(page, [], async (scanner) => {
          const proven = await proveApplication(scanner, page);
          return { proven, weakened: !works ? [] : await visitWithoutEachSource(scanner, page, proven) };
        });
        if (recordTo !== undefined) record(recordTo, application, page.url, proven);
        const sent = !works ? null : await visitWithSentHeaders(page, proven);
        rows.push(rowOf(application, proven, sent, weakened));
        expectRung(application, proven);
        const score = proven.proof.pages[0]?.after?.score;
        if (sent !== null) expect(sent).toMatchObject({ comparison: { verdict: "works", blocked: [], lost: [] }, added: [], score });
        for (const dropped of weakened) expectNamedOrUnneeded(dropped, proven.proof, page.url);
      } finally {
        await running.stop();
      }
    },
    testMsMax,
  );
});

/** The first rung that works, each stricter one refused for a reason that has a name, and no draft with more than two refinements. */
function expectRung({ rung, verdict = "works" }: ProvedApplication, { proof, visits }: ApplicationProof): void {
  const [page] = proof.pages;
  const unchanged = { blocked: [], lost: [], newErrors: [], elements: [], movedTo: null };
  const compared = verdict === "blocks" ? { verdict } : { verdict, ...unchanged };
  expect({ rung: proof.rung, ...page?.comparison }).toMatchObject({ rung, ...compared });
  const stricter = verdict === "blocks" ? rungs : rungs.slice(0, rungs.indexOf(rung));
  expect(proof.refused.map((refused) => refused.rung)).toEqual([...stricter]);
  for (const { because } of proof.refused) expect(Object.keys(enGb.proof.refusals)).toContain(because);
  expect(page?.canaries.filter(({ outcome }) => outcome === "runs" || outcome === "would-run")).toEqual([]);
  // A change that is seen once is tried again.
  const enforced = visits.filter(({ step }) => step === "enforce").length;
  expect(enforced).toBeLessThanOrEqual(proof.refused.length * 3 + 3);
}

/** Either the policy without the source blocks what only this source allows, or the proof has named it, and the page works without it. */
function expectNamedOrUnneeded(
  { directive, source, comparison, policy: without }: Weakened,
  { headers, nonce, unneeded }: Proof,
  pageUrl: string,
): void {
  const [policy = ""] = policiesIn(headers);
  const listed = nonce === null ? source : source.replaceAll(nonce, nonceMark);
  const isListed = unneeded.some((one) => one.directive === directive && one.source === listed);
  const { verdict, blocked } = comparison;
  const isNamed = blocked.some((one) => policyAllows(policy, one, pageUrl) && !policyAllows(without, one, pageUrl));
  const needed = { verdict: "blocks", isNamed: true, isListed: false };
  const spare = { verdict: "works", isNamed: false, isListed: true };
  expect({ directive, source, verdict, isNamed, isListed }).toEqual({ directive, source, ...(isListed ? spare : needed) });
}

/** Adds a line to the file: what the visits needed, for the unit tests of drafts. Without what no draft reads. */
function record(file: string, { name }: ProvedApplication, url: string, proven: ApplicationProof): void {
  const { blocked, shapes, formTargets } = needsOf(proven);
  const needed = blocked.map(({ directive, kind, url: address, hash, byScript }) => ({ directive, kind, url: address, hash, byScript }));
  // Drafts read only the origin of an address.
  const each = new Map(needed.map((one) => [JSON.stringify({ ...one, url: URL.parse(one.url ?? "")?.origin ?? one.url }), one]));
  const codes = shapes.flat().map(({ inline, handlers }) => ({ inline: inline.map(({ kind, hash }) => ({ kind, hash })), handlers }));
  appendFileSync(file, `${JSON.stringify({ name, url, formTargets, codes, blocked: [...each.values()] })}\n`);
}

function rowOf(
  { name }: ProvedApplication,
  { proof, seconds }: ApplicationProof,
  sent: SentHeaders | null,
  weakened: readonly Weakened[],
): string[] {
  const { proven, rung, pages, visits, headers, refused } = proofJson(proof);
  const { before = null, after = null } = pages[0]?.score ?? {};
  const climbed = refused.map(({ rung: refusedRung, because }) => `${refusedRung}: ${because}`).join(", ");
  const isSame = sent?.comparison.verdict === "works" && sent.added.length === 0;
  const same = sent === null ? "not visited" : isSame ? "same" : `${sent.comparison.verdict}, ${sent.added.length} added`;
  const broken = weakened.filter(({ comparison }) => comparison.verdict === "blocks").length;
  const dropped = `${broken} of ${weakened.length} dropped sources break, and ${proof.unneeded.length} are listed as not needed`;
  const [policy] = headers;
  const found = proven ? String(rung) : "none";
  return [name, found, `${before} -> ${after}`, `${visits} visits`, `${seconds.toFixed(0)} s`, same, dropped, climbed, policy?.value ?? ""];
}
