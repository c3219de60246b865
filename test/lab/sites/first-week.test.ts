/**
 * An agency's first week, in both languages: each site meets one event. Browser, TLS, DNS, SMTP, webhooks and PDF are real; the clock of the
 * server is moved forward. After each step all views of the site must agree, and what was sent must be true and sent once.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import german from "../../../locales/de-de.json" with { type: "json" };
import english from "../../../locales/en-gb.json" with { type: "json" };
import { newWebhookSecret } from "../../../src/channels/webhook.ts";
import { eventTypes, type RuleScope } from "../../../src/store/notification-rules.ts";
import type { Site } from "../../../src/store/sites.ts";
import type { Store } from "../../../src/store/store.ts";
import { type Appliance, startAppliance } from "../../browser/web/appliance.ts";
import { pdfPageTexts } from "../../browser/web/pdf-text.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { type MailServerHandle, startMailServer } from "../../support/mail-server.ts";
import { pluginSource } from "../../support/plugin-source.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { startHttps, type TestServer } from "../../support/servers.ts";
import { agreedState, expectAgreedMail, type ReportedEvent, type SeenState, type SiteViews } from "../../support/site-views.ts";
import { addSite } from "../../support/watched-sites.ts";
import { type MovedClock, movedClock } from "./moved-clock.ts";

const testMsMax = 900_000;
const pollMs = 250;
/** A score with an expired certificate, by docs/scoring.md. */
const expiredScoreMax = 20;
/** A first message comes after at most one confirmed look. */
const confirmedMinutes = 15;

/** Apart from scans that a person started. */
const reportedTypes = eventTypes.filter((type) => type !== "scan.finished");

type Mode = "shop" | "broken" | "down" | "elsewhere" | "login" | "maintenance" | "sound-maintenance";

interface Scene {
  readonly what: string;
  readonly mode: Mode;
  /** Whether the site is sound again before the second look. */
  readonly flaps?: boolean;
  /** Types of the events of the confirmed look, and of the recovery. */
  readonly told: readonly string[];
  readonly ended: readonly string[];
  /** What all first events say together. */
  readonly data?: object;
}

const worse = ["finding.opened", "site.score_dropped"];
const scenes = {
  break: { what: "a shop without its headers", mode: "broken", told: worse, ended: ["finding.resolved"] },
  flap: { what: "a shop without its headers for one look", mode: "broken", flaps: true, told: [], ended: [] },
  down: {
    what: "a server that ends each connection",
    mode: "down",
    ...{ told: ["site.unreachable"], ended: ["site.recovered"], data: { errorCode: "invalid" } },
  },
  elsewhere: {
    what: "a redirect to another site",
    mode: "elsewhere",
    ...{ told: ["site.unreachable"], ended: ["site.recovered"], data: { leadsTo: "parked.test" } },
  },
  login: {
    what: "a login page instead of the shop",
    mode: "login",
    ...{ told: worse, ended: ["finding.resolved"] },
    data: { page: { from: { title: "Shop" }, to: { title: "Sign in", asksPassword: true } } },
  },
  error: {
    what: "a maintenance page with status 503",
    mode: "maintenance",
    ...{ told: ["site.unreachable"], ended: ["site.recovered"], data: { errorCode: "server-error" } },
  },
  pause: { what: "a maintenance page that is better than the shop", mode: "sound-maintenance", told: [], ended: [] },
} as const satisfies Record<string, Scene>;
type Kind = keyof typeof scenes | "expire";
const playing = Object.keys(scenes) as (keyof typeof scenes)[];
const kinds: readonly Kind[] = [...playing, "expire"];
const sceneOf = (kind: keyof typeof scenes): Scene => scenes[kind];
/** Arguments of a test for each scene. */
const named = playing.map((kind) => ({ kind, what: scenes[kind].what }));

const weeks = [
  { locale: "en-gb", accountId: 1, domain: "agency.test" },
  { locale: "de-de", accountId: 2, domain: "agentur.test" },
] as const;
type Week = (typeof weeks)[number];

const hostOf = ({ accountId }: Week, kind: Kind) => `${kind}${accountId}.test`;
const ownerOf = ({ domain }: Week) => `owner@${domain}`;
/** Receives the mails about one site. */
const watcherOf = ({ domain }: Week, kind: Kind) => `${kind}@${domain}`;
const allHosts = weeks.flatMap((week) => kinds.map((kind) => hostOf(week, kind)));
const modes = new Map<string, Mode>();
const hooks: { readonly headers: Record<string, string>; readonly body: string }[] = [];
const secret = newWebhookSecret();
const folder = mkdtempSync(join(tmpdir(), "assay-first-week-"));
/** Session of each account, and its tokens for API and metrics. */
const keys = new Map<string, { readonly session: string; readonly api: string; readonly metrics: string }>();

const shopHeaders = {
  "strict-transport-security": "max-age=63072000",
  "content-security-policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "x-content-type-options": "nosniff",
};
const soundHeaders = {
  ...shopHeaders,
  "strict-transport-security": "max-age=63072000; includeSubDomains",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

const mailWords = { "en-gb": english.mail, "de-de": german.mail };

/** End of the certificate of the sites "expire". */
let expiresAt: Date;
let clock: MovedClock;
let servers: readonly TestServer[] = [];
let mail: MailServerHandle;
let appliance: Appliance;

function answer(request: IncomingMessage, response: ServerResponse): void {
  const mode = request.headers.host?.startsWith("parked") ? "sound-maintenance" : (modes.get(request.headers.host ?? "") ?? "shop");
  const html = (title: string, headers: Record<string, string>, status = 200, body = "") => {
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers });
    response.end(`<!doctype html><html lang=en><title>${title}</title><h1>${title}</h1>${body}</html>`);
  };
  const isLogin = request.url === "/login";
  if (mode === "down") request.socket.destroy();
  else if (mode === "elsewhere") response.writeHead(302, { location: "https://parked.test/", ...shopHeaders }).end();
  else if (mode === "login" && !isLogin) response.writeHead(302, { location: "/login" }).end();
  else if (isLogin) html("Sign in", {}, 200, "<form method=post><input name=p type=password></form>");
  else if (mode === "maintenance") html("Maintenance", soundHeaders, 503);
  else if (mode === "sound-maintenance") html("Maintenance", soundHeaders);
  else html("Shop", mode === "broken" ? {} : shopHeaders);
}

async function fill(store: Store): Promise<void> {
  const now = new Date();
  for (const week of weeks) {
    const { accountId, locale } = week;
    const account = await store.accounts.create({ email: ownerOf(week), plan: "agency", now });
    if (typeof account === "string" || account.id !== accountId) throw new Error("another account than planned");
    await store.accounts.setPreferences(accountId, { locale });
    const channel = async (kind: "mail" | "webhook", target: string, scope: RuleScope) => {
      const secrets = kind === "webhook" ? [secret] : [];
      const added = await store.channels.add({ accountId, kind, name: target, target, secrets, verified: true, now });
      if (added === "full") throw new Error("there are too many channels");
      await store.rules.add({ accountId, scope, events: reportedTypes, severityMin: "info", channelIds: [added.id], now });
    };
    await channel("webhook", `https://hooks.test/${locale}`, { kind: "all" });
    await channel("mail", ownerOf(week), { kind: "all" });
    for (const kind of kinds) {
      const host = hostOf(week, kind);
      const url = `https://${host}/`;
      const { id } = await addSite(store, { accountId, url, client: host, now, nextRunAt: null, schedule: { every: "monthly" } });
      await channel("mail", watcherOf(week, kind), { kind: "site", siteId: id });
    }
    const origin = { userAgent: "test", address: "127.0.0.1" };
    keys.set(locale, {
      session: (await store.sessions.open({ accountId, verifiedPasswordHash: null, origin, now }))?.value ?? "",
      api: (await store.apiTokens.create({ accountId, name: "week", now })).value,
      metrics: await store.metricsTokens.issue(accountId),
    });
  }
}

beforeAll(async () => {
  clock = movedClock();
  const rootFile = join(folder, "root.pem");
  writeFileSync(rootFile, testAuthority().root.pem);
  const routes = { "*": answer };
  const names = [...allHosts.filter((host) => !host.startsWith("expire")), "parked.test"];
  const at = (days: number) => new Date(Date.now() + days * 86_400_000);
  expiresAt = at(31);
  const expiring = siteIdentity("expire1.test", { names: ["expire1.test", "expire2.test"], validFrom: at(-75), validTo: expiresAt });
  const [shops, soon, receiver] = await Promise.all([
    startHttps(siteIdentity("week.test", { names, validTo: at(300) }), routes),
    startHttps(expiring, routes),
    startHttps(siteIdentity("hooks.test", { validTo: at(300) }), {
      "*": (request, response) => {
        const parts: Buffer[] = [];
        request.on("data", (part: Buffer) => parts.push(part));
        request.on("end", () => {
          hooks.push({
            headers: { ...(request.headers as Record<string, string>), path: request.url ?? "" },
            body: Buffer.concat(parts).toString(),
          });
          response.writeHead(204).end();
        });
      },
    }),
  ]);
  servers = [shops, soon, receiver];
  mail = await startMailServer({ identity: siteIdentity("mail.test", { validTo: at(300) }), tls: "starttls" });
  const port = portWithoutListener();
  appliance = await startAppliance({
    sites: {
      ...Object.fromEntries(allHosts.map((host) => [`${host}:443`, host.startsWith("expire") ? soon : shops])),
      ...{ "parked.test:443": shops, "hooks.test:443": receiver, "mail.test:587": mail },
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
    fill,
  });
}, testMsMax);

afterAll(async () => {
  await appliance?.stop();
  await Promise.all([...servers.map((server) => server.stop()), mail?.stop()]);
  clock?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = performance.now() + testMsMax / 3;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`in vain: ${what}\n${appliance.stderr().slice(-3_000)}`);
    await Bun.sleep(pollMs);
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
function keysOf({ locale }: Week) {
  const found = keys.get(locale);
  if (found === undefined) throw new Error("no session");
  return found;
}
const siteOf = ({ accountId }: Week, kind: Kind): Promise<Site> =>
  appliance.withStore(async (store) => {
    const site = store.sites.list(accountId).find(({ url }) => url.includes(`//${kind}`));
    if (site === undefined) throw new Error(`no site ${kind}`);
    return site;
  });
const isRunning = ({ id }: Site) => appliance.withStore(async (store) => store.siteRuns.find(id) !== undefined);

/** A person asks for a run of each site; resolves when all are concluded. */
async function scan(week: Week, of: readonly Kind[]): Promise<void> {
  for (const kind of of) {
    const { id } = await siteOf(week, kind);
    const path = `${appliance.origin}/api/v1/sites/${id}/scan`;
    const { status } = await fetch(path, { method: "POST", headers: bearer(keysOf(week).api) });
    // The clock reads a certificate again before its notice: such a run may be under way.
    expect([202, 409]).toContain(status);
  }
  for (const kind of of) await until(`end of ${kind}`, async () => !(await isRunning(await siteOf(week, kind))));
}

/** Moves the clock to the looks that are due, until none is left; returns the minutes that went by. */
async function looks(week: Week, of: readonly Kind[]): Promise<number> {
  const begin = clock.now().getTime();
  for (;;) {
    const planned = (await Promise.all(of.map((kind) => siteOf(week, kind)))).flatMap(({ secondLookAt }) => secondLookAt ?? []);
    if (planned.length === 0) return (clock.now().getTime() - begin) / 60_000;
    const dueMs = Math.min(...planned.map((at) => Date.parse(at)));
    clock.forward(Math.max(0, (dueMs - clock.now().getTime()) / 60_000 + 0.05));
    await until("looks", async () => {
      const sites = await Promise.all(of.map((kind) => siteOf(week, kind)));
      const isIdle = !(await Promise.all(sites.map(isRunning))).includes(true);
      return isIdle && sites.every(({ secondLookAt }) => secondLookAt === null || Date.parse(secondLookAt) > dueMs + 1_000);
    });
  }
}

interface Told extends ReportedEvent {
  readonly timestamp: string;
  readonly data: ReportedEvent["data"] & { readonly site: { readonly url: string } | null };
}

/** Webhooks about the site, or about the account, verified as their receiver does; no id came twice. */
function told({ locale }: Week, host: string | null): readonly Told[] {
  const own = hooks.filter(({ headers }) => headers.path === `/${locale}`);
  expect(new Set(own.map(({ headers }) => headers["webhook-id"])).size).toBe(own.length);
  const { now } = Date;
  return own
    .map(({ headers, body }) => {
      Date.now = () => Number(headers["webhook-timestamp"]) * 1_000;
      try {
        return new Webhook(secret).verify(body, headers) as Told;
      } finally {
        Date.now = now;
      }
    })
    .filter(({ data }) => (data.site === null ? host === null : data.site.url === `https://${host}/`));
}

const mailsTo = (address: string) => mail.mails.filter(({ to }) => to.includes(address)).map(({ parsed }) => parsed);
/** Mails to the owner that are about the site. */
const digestsOn = (week: Week, kind: Kind) =>
  mailsTo(ownerOf(week)).filter(({ text = "" }) => text.includes(`https://${hostOf(week, kind)}/`));

/** Moves the clock until each mail and webhook has arrived. Those of a run are stored with its end. */
async function delivered(): Promise<void> {
  await until("deliveries", async () => {
    const waiting = await appliance.withStore(async (store) => store.deliveries.waitingCount());
    if (waiting > 0) clock.forward(0.5);
    return waiting === 0;
  });
}

/** Fails unless all views of the site show the same; returns what they show. */
async function agree(week: Week, kind: Kind): Promise<SeenState> {
  const { id } = await siteOf(week, kind);
  const { session, api, metrics } = keysOf(week);
  const ask = (path: string, headers: Record<string, string>) => fetch(`${appliance.origin}${path}`, { headers });
  const page = (path: string) => ask(path, { cookie: `sid=${session}; locale=${week.locale}` });
  const site = (await (await ask(`/api/v1/sites/${id}`, bearer(api))).json()) as SiteViews["site"];
  const [trend, history] = await appliance.withStore(async (store) => [
    store.sites.find(week.accountId, id)?.trend.at(-1),
    store.siteRuns.history(id).at(-1)?.score,
  ]);
  return agreedState({
    ...{ locale: week.locale, site, history, trend },
    html: async (path) => (await page(path)).text(),
    metrics: async () => (await ask("/metrics/sites", bearer(metrics))).text(),
    pdf: async (path) => pdfPageTexts(new Uint8Array(await (await page(path)).arrayBuffer())).join(" "),
  });
}

/** Numbers of webhooks, mails and mails to the owner about a site. */
const countsOf = (week: Week, kind: Kind) => ({
  hooks: told(week, hostOf(week, kind)).length,
  mails: mailsTo(watcherOf(week, kind)).length,
  digests: digestsOn(week, kind).length,
});

/** Fails unless exactly the events came since then, in one mail that says what all views show. Returns the events. */
async function toldSince(week: Week, kind: Kind, before: ReturnType<typeof countsOf>, types: readonly string[]): Promise<readonly Told[]> {
  const events = told(week, hostOf(week, kind)).slice(before.hooks);
  expect(events.map(({ type }) => type).toSorted()).toEqual([...types]);
  const { score } = await agree(week, kind);
  const mails = mailsTo(watcherOf(week, kind)).slice(before.mails);
  const one = Math.min(1, events.length);
  expect([mails.length, digestsOn(week, kind).length - before.digests]).toEqual([one, one]);
  const { id, name, url } = await siteOf(week, kind);
  for (const received of mails) expectAgreedMail({ locale: week.locale, id, name, url }, received, events, score);
  return events;
}

describe.each(weeks)("a first week in $locale", (week) => {
  const known = new Map<Kind, number>();
  let before = new Map<Kind, ReturnType<typeof countsOf>>();
  let begunAt = 0;
  const count = () => {
    before = new Map(kinds.map((kind) => [kind, countsOf(week, kind)]));
  };
  const since = (kind: Kind, types: readonly string[]) =>
    toldSince(week, kind, before.get(kind) ?? { hooks: 0, mails: 0, digests: 0 }, types);

  test(
    "begins with known sites and no message",
    async () => {
      await scan(week, kinds);
      await delivered();
      for (const kind of kinds) {
        known.set(kind, (await agree(week, kind)).score);
        expect(await since(kind, [])).toEqual([]);
      }
    },
    testMsMax,
  );

  test(
    "all sites change, and one look at each sends nothing",
    async () => {
      begunAt = clock.now().getTime();
      for (const kind of playing) modes.set(hostOf(week, kind), sceneOf(kind).mode);
      await scan(week, playing);
      await delivered();
      expect(playing.map((kind) => countsOf(week, kind))).toEqual(
        playing.map((kind) => before.get(kind) ?? { hooks: 0, mails: 0, digests: 0 }),
      );
    },
    testMsMax,
  );

  test.each(named)(
    "$what: all views show the state before",
    async ({ kind }) => {
      const { score } = await agree(week, kind);
      if (kind !== "pause") expect(score).toBe(known.get(kind) ?? Number.NaN);
    },
    testMsMax,
  );

  test(
    "the second looks confirm it in time",
    async () => {
      for (const kind of playing) if (sceneOf(kind).flaps) modes.set(hostOf(week, kind), "shop");
      expect(await looks(week, playing)).toBeLessThan(confirmedMinutes);
      await delivered();
    },
    testMsMax,
  );

  test.each(named)(
    "$what: the first message is true, in time, and comes once",
    async ({ kind }) => {
      const events = await since(kind, sceneOf(kind).told);
      const [first] = events;
      if (first !== undefined) expect(Date.parse(first.timestamp) - begunAt).toBeLessThan(confirmedMinutes * 60_000);
      for (const { data } of events) expect(data).toMatchObject(sceneOf(kind).data ?? {});
      for (const { text = "" } of mailsTo(watcherOf(week, kind))) if (kind === "elsewhere") expect(text).toContain("parked.test");
    },
    testMsMax,
  );

  test(
    "an hour later all sites are as before",
    async () => {
      clock.forward(Math.max(0, 60 - (clock.now().getTime() - begunAt) / 60_000));
      count();
      for (const kind of playing) modes.set(hostOf(week, kind), "shop");
      await scan(week, playing);
      await looks(week, playing);
      await delivered();
    },
    testMsMax,
  );

  test.each(named)(
    "$what: its end is told where it was told, once",
    async ({ kind }) => {
      await since(kind, sceneOf(kind).ended);
      expect((await agree(week, kind)).score).toBe(known.get(kind) ?? Number.NaN);
    },
    testMsMax,
  );
});

test(
  "new rules of an update lower the scores: one notice for each account, and no regression",
  async () => {
    const checks = join(appliance.dataDir, "checks");
    mkdirSync(checks, { recursive: true });
    const code = "security.own.week";
    const source = pluginSource("week", { weight: "10", judge: `return violated([{ code: "${code}", values: {} }]);`, code });
    writeFileSync(join(checks, "week.js"), source, { mode: 0o644 });
    process.kill(appliance.pid, "SIGHUP");
    await until("reload", () => appliance.stderr().includes("checks reloaded"));
    const before = weeks.map((week) => ({
      week,
      hooks: hooks.length,
      mails: mailsTo(ownerOf(week)).length,
      seen: new Map<Kind, number>(),
    }));
    for (const { week, seen } of before) {
      for (const kind of kinds) seen.set(kind, (await agree(week, kind)).score);
      await scan(week, kinds);
      await looks(week, kinds);
    }
    await delivered();
    const [{ hooks: first } = { hooks: 0 }] = before;
    expect(hooks.slice(first).map(({ body }) => JSON.parse(body).type)).toEqual(weeks.map(() => "catalog.changed"));
    for (const { week, mails, seen } of before) {
      const [notice, ...others] = mailsTo(ownerOf(week)).slice(mails);
      expect([notice?.subject, others]).toEqual([expect.stringContaining(mailWords[week.locale].short.catalog), []]);
      for (const kind of kinds) expect((await agree(week, kind)).score).toBeLessThan(seen.get(kind) ?? 0);
    }
  },
  testMsMax,
);

/** Days before the end of a certificate. `beside`: further events, for the findings that it ends soon and that it has ended. */
const certificateDays = [
  { days: 30, beside: [] },
  { days: 14, beside: ["finding.opened"] },
  { days: 7, beside: [] },
  { days: 1, beside: [] },
  { days: 0, beside: worse },
];

/** Fails unless exactly one notice and the other events came since then, each kind in one mail at most. Returns the codes of the findings. */
async function toldOfCertificate(
  week: Week,
  before: ReturnType<typeof countsOf>,
  { days, beside }: (typeof certificateDays)[number],
): Promise<readonly string[]> {
  const events = told(week, hostOf(week, "expire")).slice(before.hooks);
  expect(events.map(({ type }) => type).toSorted()).toEqual(["certificate.expiring", ...beside]);
  const [first] = events;
  const isFirst = ({ type }: Told) => (type === "certificate.expiring") === (first?.type === "certificate.expiring");
  const { score } = await agree(week, "expire");
  const mails = mailsTo(watcherOf(week, "expire")).slice(before.mails);
  expect(digestsOn(week, "expire").length - before.digests).toBe(mails.length);
  const groups = mails.length === 1 ? [events] : [events.filter(isFirst), events.filter((event) => !isFirst(event))];
  expect(groups.filter((group) => group.length > 0).length).toBe(mails.length);
  const { id, name, url } = await siteOf(week, "expire");
  for (const [at, group] of groups.entries()) expectAgreedMail({ locale: week.locale, id, name, url }, mails[at] ?? {}, group, score);
  expect(events.flatMap(({ data }) => data.daysLeft ?? [])).toEqual([days]);
  return events.flatMap(({ data }) => data.findings ?? []).map(({ code }) => code);
}

test(
  "a certificate is told 30, 14, 7 and 1 days before its end and on its last day, once each, and each finding once",
  async () => {
    for (const week of weeks) await scan(week, ["expire"]);
    await delivered();
    const codes: (readonly string[])[] = [];
    for (const step of certificateDays) {
      const counted = weeks.map((week) => ({ week, before: countsOf(week, "expire") }));
      clock.forward((expiresAt.getTime() - step.days * 86_400_000 - clock.now().getTime()) / 60_000 + 1);
      await until(`notice of ${step.days} days`, () => {
        const isTold = counted.every(({ week, before }) => countsOf(week, "expire").hooks > before.hooks);
        // Certificates are examined in rounds.
        if (!isTold) clock.forward(0.5);
        return isTold;
      });
      for (const week of weeks) {
        await scan(week, ["expire"]);
        await looks(week, ["expire"]);
      }
      await delivered();
      for (const { week, before } of counted) codes.push(await toldOfCertificate(week, before, step));
    }
    const ofEach = (...expected: readonly string[]) => weeks.map(() => expected);
    expect(codes.filter(({ length }) => length > 0)).toEqual([
      ...ofEach("security.tls.certificate-expires-soon"),
      ...ofEach("security.tls.certificate-expired", "security.hsts.certificate-not-accepted"),
    ]);
    for (const week of weeks) expect((await agree(week, "expire")).score).toBeLessThanOrEqual(expiredScoreMax);
  },
  testMsMax,
);
