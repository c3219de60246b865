/**
 * An agency's first day, by the pages, in both languages: import of sites, their first scans, one that gets worse, mail and webhook,
 * acceptance, brand, PDF and badge. Browser, TLS, DNS, SMTP and webhooks are real; the clock of the server is moved forward.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Site } from "../../../src/store/sites.ts";
import { type Appliance, startAppliance } from "../../browser/web/appliance.ts";
import { leaving, submit } from "../../browser/web/forms.ts";
import { pdfPageTexts } from "../../browser/web/pdf-text.ts";
import { openVisitors, type Visitor, type Visitors } from "../../browser/web/visitors.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { type MailServerHandle, startMailServer } from "../../support/mail-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { startHttp, startHttps, type TestServer } from "../../support/servers.ts";
import { type AgencyDay, agencyDays, brokenHostOf, dayStart, quietHours, siteUrlOf } from "./agency-days.ts";
import { type MovedClock, movedClock } from "./moved-clock.ts";

const dayMsMax = 900_000;
const pollMs = 500;
/** Pause between two steps of the clock: longer than a tick of the server. */
const stepMs = 3_000;
const stepMinutes = 6;
/** A site waits so long for its first scan: 12 start in an hour. */
const windowHoursMax = 8;
const secondLookMinutes = 11;
const allHosts = agencyDays.flatMap(({ hosts }) => hosts);

interface ReceivedHook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const soundHeaders = {
  "strict-transport-security": "max-age=63072000; includeSubDomains",
  "content-security-policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};
/** Hosts that lost their headers. */
const broken = new Set<string>();
/** Webhooks by path. */
const hooks = new Map<string, ReceivedHook[]>();
const folder = mkdtempSync(join(tmpdir(), "assay-first-day-"));

let clock: MovedClock;
let sites: TestServer;
let receiver: TestServer;
let mail: MailServerHandle;
let appliance: Appliance;
let visitors: Visitors;

beforeAll(async () => {
  clock = movedClock();
  const { root } = testAuthority();
  const rootFile = join(folder, "root.pem");
  writeFileSync(rootFile, root.pem);
  sites = await startHttps(siteIdentity("agency-sites.test", { names: allHosts }), {
    "/": (request, response) => {
      const lost = broken.has(request.headers.host ?? "");
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...(lost ? {} : soundHeaders) });
      response.end("<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1></html>");
    },
    "*": { status: 404, body: "not found" },
  });
  receiver = await startHttps(siteIdentity("hooks.test"), {
    "*": (request, response) => void receive(request).then(() => response.writeHead(204).end()),
  });
  mail = await startMailServer({ identity: siteIdentity("mail.test"), tls: "starttls" });
  const port = portWithoutListener();
  appliance = await startAppliance({
    sites: {
      ...Object.fromEntries(allHosts.map((host) => [`${host}:443`, sites])),
      "hooks.test:443": receiver,
      "mail.test:587": mail,
    },
    args: ["--listen", `127.0.0.1:${port}`, "--public-url", `http://127.0.0.1:${port}`],
    env: {
      ...clock.env,
      ASSAY_SMTP_URL: "smtp://mail.test:587",
      ASSAY_SMTP_FROM: "Assay <assay@agency.test>",
      ASSAY_SMTP_CA_FILE: rootFile,
      ASSAY_WEBHOOKS_ALLOW_CIDRS: "127.0.0.1/32",
      ASSAY_WEBHOOKS_CA_FILE: rootFile,
    },
    fill: async (store) => {
      for (const { accountId, email, locale } of agencyDays) {
        const account = await store.accounts.create({ email, plan: "agency", now: new Date() });
        if (typeof account === "string" || account.id !== accountId) throw new Error("another account than planned");
        await store.accounts.setPreferences(account.id, { locale });
      }
    },
  });
  visitors = await openVisitors();
}, dayMsMax);

afterAll(async () => {
  await visitors?.close();
  await appliance?.stop();
  await Promise.all([sites?.stop(), receiver?.stop(), mail?.stop()]);
  clock?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function receive(request: IncomingMessage): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = request.url ?? "";
  const received = { headers: request.headers as Record<string, string>, body: Buffer.concat(parts).toString("utf8") };
  hooks.set(path, [...(hooks.get(path) ?? []), received]);
}

async function signedIn({ accountId, locale }: AgencyDay): Promise<Visitor> {
  const session = await appliance.withStore(async (store) => {
    const origin = { userAgent: "test", address: "127.0.0.1" };
    return store.sessions.open({ accountId, verifiedPasswordHash: null, origin, now: new Date() });
  });
  if (session === undefined) throw new Error("no session");
  return visitors.visitor({ origin: appliance.origin, locale, session: session.value });
}

const sitesOf = ({ accountId }: AgencyDay): Promise<readonly Site[]> => appliance.withStore(async (store) => store.sites.list(accountId));

async function siteOf(day: AgencyDay, host: string): Promise<Site> {
  const site = (await sitesOf(day)).find(({ url }) => new URL(url).host === host);
  if (site === undefined) throw new Error(`no site ${host}`);
  return site;
}

/** @throws Error if the condition does not come true. */
async function until(what: string, condition: () => Promise<boolean> | boolean, step: () => Promise<void> = () => Bun.sleep(pollMs)) {
  const endMs = performance.now() + dayMsMax / 2;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`in vain: ${what}\n${appliance.stderr().slice(-4_000)}`);
    await step();
  }
}

async function stepForward(): Promise<void> {
  clock.forward(stepMinutes);
  await Bun.sleep(stepMs);
}

/** Verifies a webhook as its receiver does, at the instant at which it was sent: the library refuses old ones. */
function verified(secret: string, { headers, body }: ReceivedHook): { readonly type: string; readonly data: Record<string, unknown> } {
  const { now } = Date;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1_000;
  try {
    return new Webhook(secret).verify(body, headers) as ReturnType<typeof verified>;
  } finally {
    Date.now = now;
  }
}

const confirmationLink = /http:\S+\/confirm-channel\/\S+/;

/** The reader opens the link in the mail, and presses the button there. */
async function confirmAddress(visitor: Visitor, email: string): Promise<void> {
  const link = () =>
    mail.mails.flatMap(({ to, parsed }) => (to.includes(email) ? (confirmationLink.exec(parsed.text ?? "") ?? []) : []))[0];
  await until("mail with the link", () => link() !== undefined);
  const { pathname, search } = new URL(link() ?? "");
  await visitor.open(`${pathname}${search}`);
  await submit(visitor.page, {}, { form: "main form" });
}

/** The secret of the new webhook, from the page that shows it once. */
async function addChannels(visitor: Visitor, { accountId, email, locale }: AgencyDay): Promise<string> {
  await visitor.open("/account/channels");
  await submit(visitor.page, { target: email }, { form: "form:has(input[value=mail])" });
  await confirmAddress(visitor, email);
  await visitor.open("/account/channels");
  const { html } = await submit(
    visitor.page,
    { target: `https://hooks.test/${locale}`, name: "Ops" },
    { form: "form:has(input[value=webhook])" },
  );
  await visitor.open("/account/rules");
  await visitor.page.$$eval("form:has(select[name=scope]) label", (labels) => {
    for (const label of labels) if (label.textContent?.trim() === "Ops") (label as HTMLLabelElement).control?.click();
  });
  await submit(visitor.page, {}, { form: "form:has(select[name=scope])" });
  const rules = await appliance.withStore(async (store) => store.rules.list(accountId));
  // One of each new channel, and the one that was typed.
  expect(rules).toHaveLength(3);
  return /whsec_[A-Za-z0-9+/=]+/.exec(html)?.[0] ?? "";
}

async function importSites(visitor: Visitor, { hosts }: AgencyDay): Promise<void> {
  await visitor.open("/sites/import");
  const lines = hosts.map((host, at) => `${siteUrlOf(host)},${host},Client ${at % 5},shop`);
  await visitor.page.$eval(
    "[name=text]",
    (area, text) => {
      (area as HTMLTextAreaElement).value = text;
    },
    ["url,name,client,tags", ...lines, "not a site"].join("\n"),
  );
  const press = (value: string) =>
    leaving(visitor.page, () => visitor.page.$eval(`button[value=${value}]`, (button) => (button as HTMLButtonElement).click()));
  await press("preview");
  await press("add");
  expect(new URL(visitor.page.url()).pathname).toBe("/sites");
}

describe.each(agencyDays)("a first day in $locale", (day) => {
  const host = brokenHostOf(day);
  let visitor: Visitor;
  let secret: string;

  test(
    "sites are imported and channels added",
    async () => {
      visitor = await signedIn(day);
      secret = await addChannels(visitor, day);
      expect(secret).not.toBe("");
      await importSites(visitor, day);
      expect((await sitesOf(day)).map(({ name }) => name)).toEqual([...day.hosts]);
    },
    dayMsMax,
  );

  test(
    "each site is scanned once within its window, without an event",
    async () => {
      await until("first scans", async () => (await sitesOf(day)).every(({ reading }) => reading !== null), stepForward);
      const watched = await sitesOf(day);
      const waited = watched.map(({ createdAt, lastRunAt }) => Date.parse(lastRunAt ?? "") - Date.parse(createdAt));
      expect(Math.max(...waited)).toBeLessThan(windowHoursMax * 3_600_000);
      expect(watched.map(({ trend }) => trend.length)).toEqual(watched.map(() => 1));
      await visitor.open("/sites");
      expect(await visitor.page.$$eval("tbody tr", (rows) => rows.length)).toBe(day.hosts.length);
      expect([hooks.get(`/${day.locale}`) ?? [], mailsTo(day)]).toEqual([[], []]);
    },
    dayMsMax,
  );

  test(
    "one that gets worse is reported once by mail and by webhook, after a second look",
    async () => {
      broken.add(host);
      const { id } = await siteOf(day, host);
      await visitor.open(`/sites/${id}`);
      await submit(visitor.page, {}, { form: "form:has(input[value=scan])" });
      await until("second look ordered", async () => (await siteOf(day, host)).secondLookAt !== null);
      expect(hooks.get(`/${day.locale}`) ?? []).toEqual([]);
      clock.forward(secondLookMinutes);
      await until("webhooks", () => (hooks.get(`/${day.locale}`)?.length ?? 0) >= 2);
      clock.forward(2);
      await until("mail", () => mailsTo(day).length >= 1);
      clock.forward(3);
      await Bun.sleep(2 * stepMs);
      const events = (hooks.get(`/${day.locale}`) ?? []).map((hook) => ({ id: hook.headers["webhook-id"], ...verified(secret, hook) }));
      expect(events.map(({ type }) => type).toSorted()).toEqual(["finding.opened", "site.score_dropped"]);
      expect(new Set(events.map((event) => event.id)).size).toBe(2);
      expect(mailsTo(day)).toHaveLength(1);
      const [received] = mailsTo(day);
      expect([received?.secure, received?.parsed.subject]).toEqual([true, expect.stringContaining(host)]);
      expect(received?.parsed.text).toContain(`/sites/${id}`);
      expect(received?.parsed.headers.get("list-unsubscribe") ?? received?.parsed.headers.get("list")).toBeDefined();
    },
    dayMsMax,
  );

  test(
    "a finding is accepted with reason and date",
    async () => {
      const { id } = await siteOf(day, host);
      const lastDay = new Date(clock.now().getTime() + 30 * 86_400_000).toISOString().slice(0, 10);
      await visitor.open(`/sites/${id}`);
      await submit(visitor.page, { reason: "Relaunch in spring", until: lastDay }, { form: "form:has(input[value=accept])" });
      expect((await siteOf(day, host)).accepted).toMatchObject([{ reason: "Relaunch in spring", until: lastDay }]);
      expect(await visitor.page.$eval("main", (main) => main.textContent)).toContain("Relaunch in spring");
    },
    dayMsMax,
  );

  test(
    "the PDF of the report has the brand",
    async () => {
      await visitor.open("/account/brand");
      const name = `Agency ${day.locale}`;
      await submit(visitor.page, { name, accent: "#0b5394", footer: "Made with care" }, { form: "form[enctype]" });
      const { reading } = await siteOf(day, host);
      await visitor.open(`/scans/${reading?.token}`);
      const link = await visitor.page.$$eval("a[href*='.pdf?']", ([anchor]) => anchor?.getAttribute("href") ?? "");
      const cookies = await visitor.page.cookies();
      const answer = await fetch(`${appliance.origin}${link}`, {
        headers: { cookie: cookies.map((one) => `${one.name}=${one.value}`).join("; ") },
      });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const text = pdfPageTexts(bytes).join(" ");
      expect([text.includes(name), text.includes("Made with care"), text.includes(host)]).toEqual([true, true, true]);
      expect(Buffer.from(bytes).toString("latin1")).toContain("/StructTreeRoot");
      const kept = process.env.FIRST_DAY_FILES;
      if (kept === undefined) return;
      mkdirSync(kept, { recursive: true });
      writeFileSync(join(kept, `report-${day.locale}.pdf`), bytes);
    },
    dayMsMax,
  );

  test(
    "the badge shows in a page of another origin",
    async () => {
      const other = await startHttp({
        "/": {
          headers: { "content-type": "text/html", "cross-origin-embedder-policy": "require-corp" },
          body: `<!doctype html><title>Other</title><img src="${appliance.origin}/badge/${host}.svg" alt="score">`,
        },
        "*": { status: 404, body: "" },
      });
      const foreign = await visitors.visitor({ origin: `http://localhost:${other.port}` });
      await foreign.page.goto(`http://127.0.0.1:${other.port}/`);
      expect(await foreign.page.$eval("img", (image) => [image.complete, image.naturalWidth > 50])).toEqual([true, true]);
      await foreign.close();
      await other.stop();
    },
    dayMsMax,
  );
});

/** Those about sites. */
function mailsTo({ email }: AgencyDay) {
  return mail.mails.filter(({ to, parsed }) => to.includes(email) && !confirmationLink.test(parsed.text ?? ""));
}

test("the whole day took less than a day of the server's clock", () => {
  expect(clock.now().getTime() - dayStart.getTime()).toBeLessThan(quietHours * 3_600_000);
});
