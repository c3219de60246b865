/** Cancelling a waiting scan on its page. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { Account } from "../../../src/store/accounts.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";
import { openEvents } from "./event-stream.ts";

let pages: PagesUnderTest;
let account: Account;
let other: Account;

beforeAll(async () => {
  pages = await startPages();
  account = await accountIn(pages, "me@site.test");
  other = await accountIn(pages, "you@site.test");
});
afterAll(async () => {
  expect(pages.logged).toEqual([]);
  await pages.stop();
});

async function queue(accountId: number | null = account.id): Promise<string> {
  const scan = await pages.store.scans.queue({ accountId, url: "https://site.test/", now: new Date() });
  return scan === "full" ? "" : scan.token;
}

const cancelled = { "en-gb": enGb.pages.ownScans.cancelled, "de-de": deDe.pages.ownScans.cancelled };
const button = { "en-gb": enGb.pages.progress.cancel, "de-de": deDe.pages.progress.cancel };
const locales = ["en-gb", "de-de"] as const;

test.each(locales)("its account cancels it with one click, in %s", async (locale) => {
  const token = await queue();
  const visitor = await signedIn(pages, account);
  const html = await (await visitor.get(`/scans/${token}?locale=${locale}`)).text();
  expect(html).toContain(`action="/scans/${token}/cancel"`);
  expect(html).toContain(`>${button[locale]}</button>`);
  const answer = await visitor.post(`/scans/${token}/cancel`, {}, `/scans/${token}`);
  expect(answer.status).toBe(303);
  expect(await (await visitor.get(answer.headers.get("location") ?? "")).text()).toContain(cancelled[locale]);
  expect((await visitor.get(`/scans/${token}`)).status).toBe(404);
  expect(await (await visitor.get("/account/scans")).text()).not.toContain(token);
  expect(pages.store.scans.queuePosition(token)).toBeNull();
});

describe("no button, and a refusal, for", () => {
  test("guests", async () => {
    const token = await queue(null);
    const guest = pages.visitor();
    expect(await (await guest.get(`/scans/${token}`)).text()).not.toContain("/cancel");
    expect((await guest.post(`/scans/${token}/cancel`, {}, "/")).status).toBe(401);
    expect(pages.store.scans.findByToken(token)?.status).toBe("queued");
  });
  test("other accounts, as for a scan that does not exist", async () => {
    const token = await queue();
    const visitor = await signedIn(pages, other);
    expect(await (await visitor.get(`/scans/${token}`)).text()).not.toContain("/cancel");
    expect((await visitor.post(`/scans/${token}/cancel`, {}, "/")).status).toBe(404);
    expect((await visitor.post(`/scans/${"0".repeat(22)}/cancel`, {}, "/")).status).toBe(404);
    expect(pages.store.scans.findByToken(token)?.status).toBe("queued");
  });
  test("a scan that has begun", async () => {
    while ((await pages.store.scans.claimNext("local", new Date())) !== undefined);
    const token = await queue();
    await pages.store.scans.claimNext("local", new Date());
    const visitor = await signedIn(pages, account);
    expect(await (await visitor.get(`/scans/${token}`)).text()).not.toContain("/cancel");
    const answer = await visitor.post(`/scans/${token}/cancel`, {}, "/");
    expect([answer.status, (await answer.text()).includes(enGb.pages.errors.scanBegun.title)]).toEqual([409, true]);
    expect(pages.store.scans.findByToken(token)?.status).toBe("running");
  });
  test("forms without a sender", async () => {
    const token = await queue();
    const { cookies } = await signedIn(pages, account);
    const answer = await fetch(`${pages.url}/scans/${token}/cancel`, {
      method: "POST",
      headers: { cookie: `sid=${cookies.get("sid")}`, "content-type": "application/x-www-form-urlencoded" },
      body: "",
    });
    expect(answer.status).toBe(403);
    expect(pages.store.scans.findByToken(token)?.status).toBe("queued");
  });
});

test("its events end, and those of the scans behind it say their new position", async () => {
  const [token, behind] = [await queue(), await queue()];
  const position = pages.store.scans.queuePosition(token) ?? 0;
  const streams = await Promise.all([token, behind].map((scan) => openEvents(`${pages.url}/scans/${scan}/events`)));
  const [own, waiting] = streams;
  const shown = (stream = own) => stream?.events.map(({ name, data }) => [name, data[name === "done" ? "status" : name]]);
  while (streams.some(({ events }) => events.length < 1)) await Bun.sleep(5);
  await (await signedIn(pages, account)).post(`/scans/${token}/cancel`, {}, `/scans/${token}`);
  await own?.ended;
  expect(shown()).toEqual([
    ["position", position],
    ["done", "cancelled"],
  ]);
  while ((waiting?.events.length ?? 0) < 2) await Bun.sleep(5);
  expect(shown(waiting)).toEqual([
    ["position", position + 1],
    ["position", position],
  ]);
  expect(pages.progress.listening()).toBe(1);
  waiting?.leave();
  expect((await fetch(`${pages.url}/scans/${token}/events`)).status).toBe(404);
});
