/** Pages of proofs: the buttons of reports, progress, result, editor, and who may read them. */
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import type { Provers } from "../../../src/evidence/scan.ts";
import { noRemoteLocations } from "../../../src/scan/gatherer.ts";
import { shopPicture, storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { blockingProof, endProof, queueProof, workingProof } from "../../support/proof-bodies.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const texts = { "en-gb": enGb, "de-de": deDe };
let pages: PagesUnderTest;
let owner: Visitor;
let ownerId: number;
let session: readonly (readonly [string, string])[];
let stranger: Visitor;
const provers: Record<string, Provers> = {};

beforeAll(async () => {
  pages = await startPages({
    scanning: {
      locations: { ...noRemoteLocations(new Date()), provers: (location) => provers[location] ?? { present: 0, unable: [] } },
      // In place of the dispatcher, which ends the work of the proof.
      cancelProof: async (token) => {
        if (pages.store.proofs.find(token)?.status !== "running") return "over";
        await pages.store.scans.fail(token, { code: "cancelled", evidence: null, timings: {}, now: new Date() });
        return "cancelled";
      },
    },
  });
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
const planOf = (path: string | null) => pages.store.proofs.find(path?.split("/").at(-1) ?? "")?.plan;

describe("the buttons of a report", () => {
  test("prove all lines, or those of one finding", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    const html = await read(`/scans/${token}`);
    expect(html).toContain("Try the fix on this page");
    const answer = await owner.post("/proofs", { scan: token }, `/scans/${token}`);
    expect(answer.status).toBe(303);
    const plan = planOf(answer.headers.get("location"));
    expect([plan?.policy, plan?.draft]).toEqual([null, "strict-hash"]);
    expect(plan?.headers).toContainEqual({ name: "X-Content-Type-Options", value: "nosniff" });
    expect(plan?.headers.map(({ name }) => name)).not.toContain("Content-Security-Policy");
    expect(pages.woken).toBe(1);
    const one = { scan: token, finding: "security.invalid-header.x-content-type-options" };
    expect(html).toContain(`<input type="hidden" name="finding" value="${one.finding}"/>`);
    expect(planOf((await owner.post("/proofs", one, `/scans/${token}`)).headers.get("location"))).toEqual({
      policy: null,
      draft: null,
      headers: [{ name: "X-Content-Type-Options", value: "nosniff" }],
    });
  });

  test("stand under no finding that headers cannot repair", async () => {
    const { token } = await storeSite(pages.store, "silent", { at: new Date() });
    const codes = [...(await read(`/scans/${token}`)).matchAll(/name="finding" value="([^"]+)"/g)].map(([, code = ""]) => code);
    expect(codes.length).toBeGreaterThan(3);
    expect(codes.filter((code) => /^security\.(?:tls|mail|dns|cookie)/.test(code))).toEqual([]);
  });

  test("are limited for guests, by address and by host", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    const guest = pages.visitor();
    expect((await guest.post("/proofs", { scan: token }, `/scans/${token}`)).status).toBe(303);
    const again = await guest.post("/proofs", { scan: token }, `/scans/${token}`);
    expect([again.status, Number(again.headers.get("retry-after")) > 3_000]).toEqual([429, true]);
    expect(shown(await again.text())).toContain(enGb.pages.errors.proofLimitGuest.what);
  });

  test("leave a guest the proof of the hour when another has proven the host", async () => {
    let address = "192.0.2.1";
    const open = await startPages({ addresses: { calling: () => address } });
    const [bare, sound] = [
      await storeSite(open.store, "bare", { at: new Date() }),
      await storeSite(open.store, "sound", { at: new Date() }),
    ];
    expect(bare.url).not.toBe(sound.url);
    const statusOf = async ({ token }: { readonly token: string }) => (await open.visitor().post("/proofs", { scan: token }, "/")).status;
    expect(await statusOf(bare)).toBe(303);
    address = "192.0.2.2";
    expect([await statusOf(bare), await statusOf(sound), await statusOf(sound)]).toEqual([429, 303, 429]);
    await open.stop();
  });

  test("count as eight scans of the account, with those that it starts itself", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    const busy = await signedIn(pages, await accountIn(pages, "busy@assay.test"));
    const prove = () => busy.post("/proofs", { scan: token }, `/scans/${token}`);
    for (let at = 0; at < 37; at++) expect((await prove()).status).toBe(303);
    const refused = await prove();
    expect([refused.status, Number(refused.headers.get("retry-after")) > 3_000]).toEqual([429, true]);
    expect(shown(await refused.text())).toContain("counts as 8 scans, and an account may start 300 scans an hour");
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) statuses.push((await busy.post("/scans", { url: `site-${at}.test` }, "/")).status);
    expect(statuses).toEqual([303, 303, 303, 303, 429]);
    pages.advanceMs(3_600_000);
    expect((await prove()).status).toBe(303);
  });

  test("stand in no report of workers elsewhere, whose scans are refused with the reason", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date(), location: "berlin" });
    expect(await read(`/scans/${token}`)).not.toContain(enGb.pages.proofs.tryFix);
    const refused = await owner.post("/proofs", { scan: token }, "/account");
    expect([refused.status, shown(await refused.text())]).toEqual([409, expect.stringContaining("This scan ran at the location berlin.")]);
    expect(pages.woken).toBe(0);
  });

  test("stand in reports of workers that can all visit, and prove where the scan ran, as a next try does", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date(), location: "paris" });
    provers.paris = { present: 2, unable: ["UA"] };
    expect(await read(`/scans/${token}`)).not.toContain(enGb.pages.proofs.tryFix);
    provers.paris = { present: 1, unable: [] };
    expect(await read(`/scans/${token}`)).toContain(enGb.pages.proofs.tryFix);
    const tokenOf = (answer: Response) => answer.headers.get("location")?.replace("/proofs/", "") ?? "";
    const first = tokenOf(await owner.post("/proofs", { scan: token }, `/scans/${token}`));
    const next = tokenOf(await owner.post("/proofs", { proof: first, start: "hosts" }, `/proofs/${first}`));
    expect([first, next].map((one) => pages.store.proofs.find(one)?.location)).toEqual(["paris", "paris"]);
    expect(await read(`/proofs/${first}`)).toContain("Location: paris");
    delete provers.paris;
    expect((await owner.post("/proofs", { proof: first, start: "hosts" }, `/proofs/${first}`)).status).toBe(409);
    for (let at = 0; at < 2; at++) {
      const claimed = await pages.store.scans.claimNext("paris", new Date());
      await pages.store.scans.fail(claimed?.token ?? "", { code: "cancelled", evidence: null, timings: {}, now: new Date() });
    }
  });

  test("refuse a scan that is unknown or not over, and other senders", async () => {
    const { token } = await storeSite(pages.store, "bare", { at: new Date() });
    expect((await owner.post("/proofs", { scan: "0".repeat(22) }, `/scans/${token}`)).status).toBe(404);
    const foreign = await fetch(`${pages.url}/proofs`, {
      method: "POST",
      body: new URLSearchParams({ scan: token }),
      headers: { origin: "https://x.test" },
    });
    expect(foreign.status).toBe(403);
  });
});

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

describe("a proof is cancelled from its page", () => {
  const cancel = (token: string, by: Visitor = owner, from = `/proofs/${token}`) => by.post(`/proofs/${token}/cancel`, {}, from);

  test("while it waits: it leaves queue and list", async () => {
    const { token } = await queueProof(pages.store, { accountId: ownerId });
    expect(await read(`/proofs/${token}`)).toContain(`action="/proofs/${token}/cancel"`);
    const answer = await cancel(token);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account/proofs?done=cancelled"]);
    const list = await read("/account/proofs?done=cancelled");
    expect([shown(list).includes(enGb.pages.proofs.own.removed), list.includes(token)]).toEqual([true, false]);
    expect([pages.store.scans.queueLength(), (await owner.get(`/proofs/${token}`)).status]).toEqual([0, 404]);
  });

  test("while it runs: its page says so in both languages, and it can be tried again", async () => {
    const { token } = await queueProof(pages.store, { accountId: ownerId });
    await pages.store.scans.claimNext("local", new Date());
    const answer = await cancel(token);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `/proofs/${token}`]);
    for (const locale of locales) {
      const html = await read(`/proofs/${token}?locale=${locale}`);
      const { proof, pages: of } = texts[locale];
      for (const text of [of.proofs.cancelled, proof.cancelled, of.proofs.editor.again]) expect(shown(html)).toContain(text);
      expect(shown(html)).not.toContain(of.proofs.failed);
      expect(html).not.toContain(`/proofs/${token}/cancel`);
      expect(shown(await read(`/account/proofs?locale=${locale}`))).toContain(of.proofs.own.cancelled);
    }
  });

  test("by its account alone; one that is over stays", async () => {
    const over = await endProof(pages.store, workingProof, { accountId: ownerId });
    const { token } = await queueProof(pages.store, { accountId: ownerId });
    const ofGuest = await queueProof(pages.store);
    expect(await read(`/proofs/${ofGuest.token}`)).not.toContain("/cancel");
    const guest = pages.visitor();
    const from = "/account";
    expect([(await cancel(token, stranger, from)).status, (await cancel(token, guest, "/")).status]).toEqual([404, 401]);
    expect([(await cancel(ofGuest.token, stranger, from)).status, (await cancel(ofGuest.token, guest, "/")).status]).toEqual([404, 401]);
    expect(pages.store.scans.queueLength()).toBe(2);
    expect((await cancel(over, owner, from)).headers.get("location")).toBe(`/proofs/${over}`);
    expect(shown(await read(`/proofs/${over}`))).toContain(enGb.proof.works);
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
      expect(html).toContain(proof.unneededMeans);
      expect(html).toContain(proof.unneededItem.replace("{{source}}", "'nonce-{nonce}'").replace("{{directive}}", "script-src"));
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
    // As proofs of earlier releases are stored.
    const { unneeded: _, ...older } = workingProof;
    const [page] = older.pages;
    if (page === undefined) throw new Error("no page");
    const weak = { ...older, proven: false, pages: [{ ...page, canaries: [{ name: "inline-script", outcome: "runs" as const }] }] };
    const html = await read(`/proofs/${await endProof(pages.store, weak, { accountId: ownerId })}`);
    expect(shown(html)).toContain(enGb.proof.weak);
    expect(shown(html)).not.toContain(enGb.proof.works);
    expect(shown(html)).not.toContain(enGb.proof.unneededMeans);
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
    expect((await stranger.post("/proofs", { proof: own, start: "hosts" }, "/account")).status).toBe(404);
  });

  test("shows the page before and after, to those who may read it", async () => {
    const picture = readFileSync(shopPicture);
    const given = { accountId: ownerId, pictures: { before: picture, after: picture } };
    const token = await endProof(pages.store, workingProof, given);
    for (const name of ["before", "after"]) {
      expect(await read(`/proofs/${token}`)).toContain(`src="/proofs/${token}/${name}"`);
      const answer = await owner.get(`/proofs/${token}/${name}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
      expect(Buffer.from(await answer.arrayBuffer()).equals(picture)).toBe(true);
      expect((await stranger.get(`/proofs/${token}/${name}`)).status).toBe(404);
    }
    const half = await endProof(pages.store, workingProof, { ...given, pictures: { before: picture, after: null } });
    expect(await read(`/proofs/${half}`)).not.toContain('<img class="screenshot"');
    expect((await owner.get(`/proofs/${half}/after`)).status).toBe(404);
  });

  test("is in the list of its account", async () => {
    const token = await endProof(pages.store, workingProof, { accountId: ownerId });
    expect(await read("/account/proofs")).toContain(`/proofs/${token}`);
    expect(await read("/account/proofs", stranger)).toContain(enGb.pages.proofs.own.none);
  });
});

describe("the editor", () => {
  test("tries a changed policy with the other headers, or another start", async () => {
    const plan = {
      policy: null,
      draft: "strict-hash" as const,
      headers: [
        { name: "X-Frame-Options", value: "DENY" },
        { name: "Server", value: null },
      ],
    };
    const token = await endProof(pages.store, workingProof, { accountId: ownerId, plan });
    const from = `/proofs/${token}`;
    const policy = "default-src 'self';\r\n script-src 'none'";
    const own = await owner.post("/proofs", { proof: token, start: "own", policy }, from);
    expect(planOf(own.headers.get("location"))).toMatchObject({ draft: null, headers: plan.headers });
    expect(planOf(own.headers.get("location"))?.policy).toMatch(/^default-src 'self';\s+script-src 'none'$/);
    const hosts = await owner.post("/proofs", { proof: token, start: "hosts" }, from);
    expect(planOf(hosts.headers.get("location"))).toEqual({ policy: null, draft: "hosts", headers: plan.headers });
    expect((await owner.post("/proofs", { proof: token, start: "nonsense" }, from)).status).toBe(400);
  });

  test("names a fault by line and column, keeps the text and visits nothing", async () => {
    const token = await endProof(pages.store, workingProof, { accountId: ownerId });
    const before = pages.store.proofs.listOfAccount(ownerId, { limit: 100, cursor: null }).items.length;
    const answer = await owner.post(
      "/proofs",
      { proof: token, start: "own", policy: "default-src 'self';\nscript-scr self" },
      `/proofs/${token}`,
    );
    const html = shown(await answer.text());
    expect(answer.status).toBe(400);
    expect(html).toContain("Line 2, column 1: script-scr is no directive. Did you mean script-src?");
    expect(html).toContain("script-scr self");
    expect(pages.store.proofs.listOfAccount(ownerId, { limit: 100, cursor: null }).items).toHaveLength(before);
    const empty = await owner.post("/proofs", { proof: token, start: "own", policy: " " }, `/proofs/${token}`);
    expect([empty.status, shown(await empty.text()).includes("There is no policy.")]).toEqual([400, true]);
  });

  test("offers today's policy only where a scan read it whole", async () => {
    const sound = await storeSite(pages.store, "sound", { at: new Date() });
    const withPolicy = await endProof(pages.store, workingProof, { accountId: ownerId, url: sound.url });
    expect(await read(`/proofs/${withPolicy}`)).toContain("Try today");
    const without = await endProof(pages.store, workingProof, { accountId: ownerId, url: "https://unknown.test/" });
    expect(await read(`/proofs/${without}`)).not.toContain("Try today");
    const today = await owner.post("/proofs", { proof: withPolicy, start: "today" }, `/proofs/${withPolicy}`);
    expect(planOf(today.headers.get("location"))?.policy).toContain("default-src");
    expect((await owner.post("/proofs", { proof: without, start: "today" }, `/proofs/${without}`)).status).toBe(400);
  });
});
