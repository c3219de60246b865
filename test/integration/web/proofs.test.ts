/** Pages of proofs: the buttons of reports, progress, result, editor, and who may read them. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { endProof, queueProof, workingProof } from "../../support/proof-bodies.ts";
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

describe("the page of a proof", () => {
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
