/** Pages of proofs: the buttons of reports, progress, result, editor, and who may read them. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { blockingProof, endProof, queueProof, workingProof } from "../../support/proof-bodies.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const texts = { "en-gb": enGb, "de-de": deDe };
let pages: PagesUnderTest;
let owner: Visitor;
let ownerId: number;
let session: readonly (readonly [string, string])[];
let stranger: Visitor;

beforeAll(async () => {
  pages = await startPages();
  const account = await accountIn(pages, "owner@assay.test");
  ownerId = account.id;
  owner = await signedIn(pages, account);
  session = [...owner.cookies];
  stranger = await signedIn(pages, await accountIn(pages, "other@assay.test"));
});
afterEach(async () => {
  // Nothing may wait when the next test claims its own.
  for (let claimed = await pages.store.scans.claimNext("local", new Date()); claimed !== undefined; ) {
    await pages.store.scans.fail(claimed.token, { code: "cancelled", evidence: null, timings: {}, now: new Date() });
    claimed = await pages.store.scans.claimNext("local", new Date());
  }
  pages.reset();
  // Tests that read German chose it.
  owner.cookies.clear();
  for (const [name, value] of session) owner.cookies.set(name, value);
});
afterAll(() => pages.stop());

async function read(path: string, by: Visitor = owner): Promise<string> {
  const html = await (await by.get(path)).text();
  expect(html).not.toContain("{{");
  expect(html).not.toContain("undefined");
  return html;
}

const shown = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<");

describe("a proof that waits or runs", () => {
  test("shows its steps, in both languages and without script", async () => {
    const { token } = await queueProof(pages.store, { accountId: ownerId });
    for (const locale of locales) {
      const answer = await owner.get(`/proofs/${token}?locale=${locale}`);
      const html = await answer.text();
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(html).toContain(`<noscript><meta http-equiv="refresh" content="3;url=/proofs/${token}?locale=${locale}"/></noscript>`);
      expect(html).toContain('name="robots" content="noindex"');
      for (const step of Object.values(texts[locale].pages.proofs.steps)) expect(shown(html)).toContain(step);
    }
    await pages.store.scans.claimNext("local", new Date());
    await pages.store.proofs.setStep(token, "enforce");
    expect(await read(`/proofs/${token}`)).toContain('data-stage="enforce" aria-current="step"');
    const state = await (await owner.get(`/proofs/${token}/state`)).json();
    expect(state).toMatchObject({ status: "running", stage: "enforce", text: null });
  });
});

describe("the result of a proof", () => {
  test("has verdict, headers for the server, attack and ledger, in both languages", async () => {
    const token = await endProof(pages.store, workingProof, { accountId: ownerId });
    for (const locale of locales) {
      const { proof, pages: of } = texts[locale];
      const html = shown(await read(`/proofs/${token}?locale=${locale}&server=nginx`));
      for (const text of [proof.works, proof.serviceWorker, proof.costs.nonce, of.proofs.headers, of.proofs.limitsMean, proof.unreadRows])
        expect(html).toContain(text);
      expect(html).toContain("add_header Content-Security-Policy \"default-src 'self'; script-src 'nonce-{nonce}' 'strict-dynamic'");
      expect(html).toContain(proof.canaryNames.jsonp.replace("{{host}}", "accounts.google.com"));
      expect(html).toContain(proof.refusals["many-hashes"]);
      expect(html).toContain("https://site.test/gone");
    }
  });

  test("says what is blocked and how to allow it, with all that a site wrote escaped", async () => {
    const hostile = '"><script>alert(1)</script>\u202e';
    const token = await endProof(pages.store, blockingProof(hostile), { accountId: ownerId });
    const html = await read(`/proofs/${token}`);
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("\u202e");
    expect(shown(html)).toContain("Breaks the page: the headers block 2 of its parts.");
    expect(shown(html)).toContain("To allow it, add cdn.test");
    expect(shown(html)).toContain("Event handlers in attributes need no exception");
    expect(shown(html)).toContain("Elements main: 1 -> 0");
  });

  test("of a weak policy is no success, and one that failed says why", async () => {
    const [page] = workingProof.pages;
    if (page === undefined) throw new Error("no page");
    const weak = { ...workingProof, proven: false, pages: [{ ...page, canaries: [{ name: "inline-script", outcome: "runs" as const }] }] };
    const html = await read(`/proofs/${await endProof(pages.store, weak, { accountId: ownerId })}`);
    expect(shown(html)).toContain(enGb.proof.weak);
    expect(shown(html)).not.toContain(enGb.proof.works);
    const failed = await read(`/proofs/${await endProof(pages.store, null, { accountId: ownerId })}`);
    expect(shown(failed)).toContain(enGb.pages.proofs.failed);
  });

  test("is for its account alone, and of a guest for all who know the address", async () => {
    const own = await endProof(pages.store, workingProof, { accountId: ownerId });
    const ofGuest = await endProof(pages.store, workingProof);
    const statusFor = async (by: Visitor, path: string) => (await by.get(path)).status;
    for (const path of [`/proofs/${own}`, `/proofs/${own}/state`])
      expect([await statusFor(owner, path), await statusFor(stranger, path), await statusFor(pages.visitor(), path)]).toEqual([
        200, 404, 404,
      ]);
    expect(await statusFor(pages.visitor(), `/proofs/${ofGuest}`)).toBe(200);
    expect(await statusFor(owner, "/proofs/0000000000000000000000")).toBe(404);
  });

  test("is in the list of its account", async () => {
    const token = await endProof(pages.store, workingProof, { accountId: ownerId });
    expect(await read("/account/proofs")).toContain(`/proofs/${token}`);
    expect(await read("/account/proofs", stranger)).toContain(enGb.pages.proofs.own.none);
  });
});
