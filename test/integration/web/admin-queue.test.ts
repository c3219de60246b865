/** `/admin`: scans that run and wait, and their cancellation by an administrator. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CancelAnyScan } from "../../../src/evidence/scan.ts";
import type { Account } from "../../../src/store/accounts.ts";
import type { Job } from "../../../src/store/scans.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const cancelled: string[] = [];
let cancellation: Awaited<ReturnType<CancelAnyScan>>;
let pages: PagesUnderTest;
let owner: Account;
let visitor: Visitor;
let running: Job | undefined;

beforeAll(async () => {
  const cancelScan = async (token: string) => {
    cancelled.push(token);
    return cancellation;
  };
  pages = await startPages({ scanning: { cancelScan } });
  visitor = await signedIn(pages, await accountIn(pages, "first@assay.test"));
  await pages.store.scans.queue({ accountId: null, url: "https://one.test/", now: new Date(Date.now() - 120_000) });
  owner = await accountIn(pages, "waiting@assay.test");
  await pages.store.scans.queue({ accountId: owner.id, url: "https://two.test/?<b>", now: new Date(Date.now() - 60_000) });
  running = await pages.store.scans.claimNext("local", new Date(Date.now() - 30_000));
});
afterAll(() => pages.stop());

async function read(path: string): Promise<string> {
  const answer = await visitor.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

test("/admin lists running and queued scans with owner and age", async () => {
  const html = await read("/admin");
  expect(html).toContain("1 scan is running. 1 scan is waiting.");
  expect(html).toContain(`href="/scans/${running?.token}"`);
  expect(html).toMatch(/one\.test.*guest.*data-ago="[^"]+".*0%/s);
  expect(html).toMatch(/two\.test\/\?&lt;b>.*waiting@assay\.test.*data-ago="[^"]+"/s);
});

test("/admin cancels a scan of anybody", async () => {
  const path = `/admin/scans/${running?.token}/cancel`;
  expect(await read("/admin")).toContain(`action="${path}"`);
  for (const [outcome, notice] of [
    ["cancelled", "The scan is cancelled."],
    ["over", "The scan had ended already"],
  ] as const) {
    cancellation = outcome;
    const answer = await visitor.post(path, {}, "/admin");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `/admin?done=${outcome}#queue`]);
    expect(await read(`/admin?done=${outcome}`)).toContain(notice);
  }
  cancellation = "unknown";
  expect((await visitor.post(path, {}, "/admin")).status).toBe(404);
  expect((await (await signedIn(pages, owner)).post(path, {}, "/account")).status).toBe(403);
  expect(cancelled).toEqual([running?.token, running?.token, running?.token]);
});
