/** Evidence of TLS offers on a report, in both languages. */
import { afterAll, describe, expect, test } from "vitest";
import { evidence, weakOffer, weakSuites } from "../../../support/evidence.ts";
import { knownScans, storeFinished } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

const known = evidence({
  tlsOffers: {
    ...weakSuites({ staticKey: weakOffer(["AES128-SHA"], "unknown"), cbc: weakOffer(["ECDHE-RSA-AES256-SHA384"], "not-asked") }),
    dhe: { answer: "accepted", group: { bits: 2_048, primeSha256: "00".repeat(32) } },
    weakCurves: { accepted: [], others: "unknown" },
    hybrid: { answer: "accepted", group: "X25519MLKEM768" },
  },
});
const store = (given: typeof known) => storeFinished(pages.store, { evidence: given, result: knownScans.bare.result, at: new Date() });

const words = {
  "en-gb": ["Weak suites accepted", "Group of DHE suites", "2048 bits", "Weak curves accepted", "unknown"],
  "de-de": ["Akzeptierte schwache Suites", "Gruppe der DHE-Suites", "2048 Bit", "Akzeptierte schwache Kurven", "unbekannt"],
} as const;

async function textOfReport(token: string, locale: string): Promise<string> {
  const html = await (await fetch(`${pages.url}/scans/${token}`, { headers: { cookie: `locale=${locale}` } })).text();
  return html.replaceAll(/<[^>]*>/g, "");
}

describe.each(["en-gb", "de-de"] as const)("a report in %s", (locale) => {
  test("shows weak suites and groups, also those of rows that passed", async () => {
    const text = await textOfReport((await store(known)).token, locale);
    for (const word of [...words[locale], "AES128-SHA, ECDHE-RSA-AES256-SHA384", "X25519MLKEM768"]) expect(text).toContain(word);
  });

  test("of an older assay lacks the reading", async () => {
    const { tlsOffers, ...older } = known;
    const text = await textOfReport((await store(older as typeof known)).token, locale);
    expect(text).toContain("TLS 1.2");
    expect(text).not.toContain(words[locale][0]);
  });
});
