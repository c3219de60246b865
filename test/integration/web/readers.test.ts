/** Routes that show scans: with `readers = "accounts"`, guests learn nothing of any scan. */
import { afterAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { exportFormats } from "../../../src/export/formats.ts";
import type { PageRoute } from "../../../src/web/guards.ts";
import { pageRoutes } from "../../../src/web/routes.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { pngImage } from "../../support/images.ts";
import { startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";
import { addSite } from "../../support/watched-sites.ts";
import { openEvents } from "./event-stream.ts";

const printPdf = async () => new Uint8Array(1);
const open = await startPages({ printPdf });
const { store } = open;
const closed = await startPages({
  store,
  printPdf,
  config: { readers: "accounts", "report.index": true, "accounts.signup": "open" },
});
const admin = await visitorAs("admin@assay.test");
const account = await visitorAs("someone@assay.test");
const guest = closed.visitor();
afterAll(async () => {
  expect(closed.logged).toEqual([]);
  await closed.stop();
  await open.stop();
});

/** Both servers have one store, and so one table of sessions. */
async function visitorAs(email: string): Promise<Visitor> {
  const visitor = closed.visitor();
  for (const [name, value] of (await signedIn(open, await accountIn(open, email))).cookies) visitor.cookies.set(name, value);
  return visitor;
}

const host = "only-for-accounts.example";
/** Gives `account` site 1 with its client and a logo. */
const owner = store.accounts.findByEmail("someone@assay.test")?.id ?? 0;
await addSite(store, { accountId: owner, url: "https://watched.example/", client: "Acme", now: new Date() });
await store.accounts.setPlan(owner, "agency");
await store.brands.change(owner, () => ({
  name: "Brand",
  logoPng: pngImage(3, 2, "noise").toString("base64"),
  accent: null,
  footer: null,
}));
const { token } = await storeSite(store, "bare", { at: new Date(), url: `https://${host}/`, screenshot: pixelJpeg });
const unknownToken = "u".repeat(token.length);

/** `tried`: the path without a placeholder. */
type Tried = PageRoute & { readonly tried: string };

function filled(route: PageRoute, value: (name: string) => string): Tried {
  return { ...route, tried: route.path.replace(/:(\w+)/, (_whole, name: string) => value(name)) };
}

const samples: Readonly<Record<string, string>> = { token, host, file: `${host}.svg`, key: "csp-syntax", id: "1", name: "Acme" };
const sampleOf = ({ path }: PageRoute, name: string) => (path.startsWith("/brands/") ? String(owner) : (samples[name] ?? "missing"));
const routes = pageRoutes(closed.settings).map((route) => filled(route, (name) => sampleOf(route, name)));
const downloads = routes
  .filter(({ path }) => path === "/scans/:token")
  .flatMap((route) =>
    [...Object.values(exportFormats), { extension: "pdf" }].map(({ extension }) => filled(route, () => `${token}.${extension}`)),
  );
const everyRoute = [...routes, ...downloads];
const isData = (route: Tried) => route.audience === "readers" && route.isData?.(route.tried.split("/")[2] ?? null) === true;
const gets = (audience: PageRoute["audience"]) => everyRoute.filter((route) => route.audience === audience && route.get !== undefined);
const posts = (audience: PageRoute["audience"]) => everyRoute.filter((route) => route.audience === audience && route.post !== undefined);
const asRows = (tried: readonly Tried[]) => tried.map((route) => [route.tried, route] as const);

const cookieOf = ({ cookies }: Visitor) => ({ cookie: [...cookies].map((pair) => pair.join("=")).join("; ") });

async function post(path: string, visitor: Visitor, origin = closed.url): Promise<Response> {
  const body = new URLSearchParams({ url: "https://new.example/" });
  return fetch(`${closed.url}${path}`, { method: "POST", redirect: "manual", headers: { ...cookieOf(visitor), origin }, body });
}

const toSignIn = (path: string) => `/sign-in?${new URLSearchParams({ next: path })}`;

describe("the audience of a route", () => {
  test("is readers wherever guests would see the scan", async () => {
    const showing: string[] = [];
    for (const route of everyRoute.filter(({ get }) => get !== undefined)) {
      const answer = await open.visitor().get(route.tried);
      const holdsScan = (await answer.text()).includes(host) || answer.headers.get("content-type")?.startsWith("image/") === true;
      if (holdsScan && route.audience !== "readers") showing.push(route.path);
    }
    // Home page and badge leave the scans out for those who may not read them.
    const pictures = routes.filter(({ tried }) => /^\/[\w-]+\.(png|svg|ico)$/.test(tried)).map(({ path }) => path);
    expect(showing.filter((path) => !pictures.includes(path))).toEqual(["/", "/badge/:file"]);
  });
});

describe("where only accounts read scans", () => {
  // Its own token opens it, so that a guest is refused.
  const withToken = "/metrics/sites";
  test.each(asRows(gets("everybody").filter(({ path }) => path !== withToken)))("%s is open to guests, and names no scan", async (path) => {
    const answer = await guest.get(path);
    expect([401, 403]).not.toContain(answer.status);
    expect(answer.headers.get("location") ?? "").not.toContain("next=");
    const text = await answer.text();
    expect([text.includes(host), text.includes(token)]).toEqual([false, false]);
  });

  test.each(asRows(gets("readers")))("%s asks guests to sign in, the same for a scan that does not exist", async (path, route) => {
    const answers = [path, path.replace(token, unknownToken).replace(host, "nowhere.example")].map(async (each) => {
      for (const method of ["GET", "HEAD"]) {
        const answer = await fetch(`${closed.url}${each}`, { method, redirect: "manual" });
        expect(answer.status).toBe(isData(route) ? 401 : 303);
        expect(answer.headers.get("location")).toBe(isData(route) ? null : toSignIn(each));
      }
      const text = await (await guest.get(each)).text();
      return text.replaceAll(each, "").replace(/[\w+/=-]{24,}/g, "");
    });
    const [known, unknown] = await Promise.all(answers);
    expect(known).toBe(unknown ?? "");
    expect(known).not.toContain(host);
  });

  test.each(asRows(gets("readers")))("%s answers every account, and leaves no copy", async (path) => {
    const answer = await account.get(path);
    expect([401, 403]).not.toContain(answer.status);
    expect(answer.headers.get("location") ?? "").not.toContain("/sign-in");
    const kept = ["cache-control", "cross-origin-resource-policy"].map((name) => answer.headers.get(name));
    expect(kept).toEqual(answer.status < 400 ? ["no-store", "same-origin"] : [expect.any(String), "same-origin"]);
    await answer.body?.cancel();
  });

  test.each(asRows(posts("readers")))("the form %s takes nothing from guests", async (path) => {
    const before = store.scans.queueLength();
    expect([(await post(path, guest)).status, store.scans.queueLength()]).toEqual([401, before]);
    // Refused by the CSRF check, so past the guard.
    expect((await post(path, account, "null")).status).toBe(403);
  });

  test("an administrator is warned if everybody can create an account", async () => {
    const html = await Promise.all(
      [closed, open].map(async ({ url }) => (await fetch(`${url}/admin`, { headers: cookieOf(admin) })).text()),
    );
    expect(html.map((text) => text.includes(enGb.pages.admin.banners.openReaders))).toEqual([true, false]);
  });

  test("search engines are sent nowhere", async () => {
    expect(await (await guest.get("/robots.txt")).text()).toContain("Disallow: /scans/");
  });

  test("a report that was kept for an account is not shown to a guest, in any order", async () => {
    for (const visitor of [account, guest, admin, guest, account]) {
      const answer = await visitor.get(`/scans/${token}`);
      expect([answer.status, (await answer.text()).includes(host)]).toEqual(visitor === guest ? [303, false] : [200, true]);
    }
  });

  test("other spellings of a path lead guests no further", async () => {
    const paths = [`/scans/${token}/`, `/scans//${token}`, `//scans/${token}`, `/scans/${token}%2ejson`, `/SCANS/${token}`, `/scans/%00`];
    for (const path of [...paths, `/scans/${token}/compare?with=previous`, "/scans?host=example", "/hosts/%ff"]) {
      const answer = await guest.get(path);
      expect([path, (await answer.text()).includes(host)]).toEqual([path, false]);
      expect([303, 401, 404]).toContain(answer.status);
    }
  });

  test("a sign-in leads back, and a signed-out account is a guest", async () => {
    const location = (await guest.get(`/scans/${token}?state=passed`)).headers.get("location") ?? "";
    expect(location).toBe(toSignIn(`/scans/${token}?state=passed`));
    expect(await (await guest.get(location)).text()).toContain(`name="next" value="/scans/${token}?state=passed"`);
    const leaving = await visitorAs("leaving@assay.test");
    expect((await leaving.get(`/scans/${token}`)).status).toBe(200);
    await leaving.post("/sign-out", {}, "/sign-out");
    expect((await leaving.get(`/scans/${token}`)).status).toBe(303);
  });
});

test("an event stream ends when its account signs out", async () => {
  const queued = await store.scans.queue({ accountId: null, url: `https://${host}/`, now: new Date() });
  if (queued === "full") throw new Error("the queue is full");
  const path = `/scans/${queued.token}/events`;
  const leaving = await visitorAs("streaming@assay.test");
  const stream = await openEvents(`${closed.url}${path}`, cookieOf(leaving));
  closed.progress.publish(queued.token, { type: "stage", stage: "connecting", percent: 5 });
  while (!stream.events.some(({ name }) => name === "stage")) await Bun.sleep(1);
  await leaving.post("/sign-out", {}, "/sign-out");
  closed.progress.publish(queued.token, { type: "stage", stage: "browsing", percent: 20 });
  await stream.ended;
  expect(stream.events.filter(({ name }) => name === "stage").map(({ data }) => data.stage)).toEqual(["connecting"]);
  expect((await leaving.get(path)).status).toBe(401);
});

describe("the pages say who reads scans", () => {
  const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };

  test.each(["en-gb", "de-de"] as const)("in %s", async (locale) => {
    const { visibility, home } = texts[locale];
    const [ofGuest, ofAccount, ofOpen] = await Promise.all(
      [guest.get(`/?locale=${locale}`), account.get(`/?locale=${locale}`), open.visitor().get(`/?locale=${locale}`)].map(async (answer) =>
        (await answer).text(),
      ),
    );
    expect(ofGuest).toContain(visibility.accounts.closed);
    expect(ofGuest).not.toContain('action="/scans"');
    expect(ofGuest).not.toContain('href="/scans"');
    expect(ofGuest).not.toContain(home.latest);
    expect(ofAccount).toContain(visibility.accounts.rule);
    expect(ofAccount).toContain('href="/scans"');
    expect(ofOpen).toContain(visibility.everybody.rule);
    const list = await account.get(`/scans?locale=${locale}`);
    expect(await list.text()).toContain(`<h1>${visibility.accounts.scans}</h1>`);
  });
});
