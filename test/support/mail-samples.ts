/** Mails as agencies get them, one for each kind of news, with the facts that each must name. */
import { builtInChecks } from "../../checks/index.ts";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { RenderedMail } from "../../src/channels/mail-frame.ts";
import {
  type ChannelMailContext,
  confirmationMail,
  digestMail,
  mailWords,
  memberInvitationMail,
  oneTimeLinkMail,
} from "../../src/channels/mail-text.ts";
import type { SiteMeasurements } from "../../src/channels/site-measurements.ts";
import type { Severity } from "../../src/check/check.ts";
import { standing } from "../../src/judge/result.ts";
import type { Channel } from "../../src/store/channels.ts";
import type { StoredBrand } from "../../src/store/site-accounts.ts";
import type { EventFinding, EventSite, NewEvent, StoredEvent } from "../../src/store/site-events.ts";
import type { SiteHistoryEntry } from "../../src/store/site-runs.ts";
import { createTexts, type PageLocale } from "../../src/text/i18n.ts";
import { pngImage } from "./images.ts";
import { storedEvent } from "./stored-events.ts";

const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks }, builtInChecks);
const address = "https://assay.agency.example";
const [earlier, since, at] = ["2026-03-04T08:00:00.000Z", "2026-03-05T09:18:00.000Z", "2026-03-05T09:30:00.000Z"] as const;
const tokens = { before: "a".repeat(22), after: "b".repeat(22) } as const;

const mailChannel: Channel = {
  id: 3,
  accountId: 9,
  kind: "mail",
  name: "Team",
  target: "team@agency.example",
  secrets: [],
  createdAt: at,
  verifiedAt: at,
  confirmation: null,
  unsubscribeKey: "k".repeat(43),
  disabled: null,
};

function siteOf(id: number, host: string): EventSite {
  return { id, name: host, url: `https://${host}/`, client: null, tags: [] };
}

/** The first findings of the catalog with these severities. */
function findingsOf(...wanted: readonly Severity[]): readonly EventFinding[] {
  const left = builtInChecks.flatMap(({ key, findings }) =>
    Object.entries(findings).map(([code, { severity }]) => ({ code, checkKey: key, severity, urls: [] })),
  );
  return wanted.flatMap((severity) =>
    left.splice(
      left.findIndex((one) => one.severity === severity),
      1,
    ),
  );
}

function entry(score: number, time: string, token: string): SiteHistoryEntry {
  return { score, at: time, token, ...standing(score), open: 0 };
}

function measured(from: number | null, to: number | null): SiteMeasurements {
  return {
    before: from === null ? null : entry(from, earlier, tokens.before),
    after: to === null ? null : entry(to, at, tokens.after),
    since,
  };
}

const nine = findingsOf("critical", "high", "high", "medium", "medium", "medium", "low", "low", "info");
const longWord = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft";
const brand: StoredBrand = {
  name: `Agency ${"long".repeat(15)}`,
  logoPng: pngImage(480, 60, [20, 80, 40, 255]).toString("base64"),
  accent: "#8a1253",
  footer: `Muster GmbH ${"long".repeat(40)}`,
};
const shop = siteOf(1, "shop.example");
const dropped = (from: number, to: number): NewEvent => ({
  type: "site.score_dropped",
  token: tokens.after,
  data: { from, to, ...standing(to) },
});
const opened = (findings: readonly EventFinding[]): NewEvent => ({ type: "finding.opened", token: tokens.after, data: { findings } });
const resolved = (findings: readonly EventFinding[]): NewEvent => ({ type: "finding.resolved", token: tokens.after, data: { findings } });

interface Told {
  readonly site: EventSite;
  readonly events: readonly NewEvent[];
  readonly measured: SiteMeasurements;
}

const worse: Told = { site: shop, events: [dropped(99, 52), opened(nine)], measured: measured(99, 52) };
const told = {
  worse: [worse],
  "three-worse": [
    worse,
    {
      site: siteOf(2, "bakery-miller.example"),
      events: [dropped(88, 71), opened(findingsOf("high", "medium"))],
      measured: measured(88, 71),
    },
    { site: siteOf(3, "garden.example"), events: [opened(findingsOf("medium"))], measured: measured(97, 94) },
  ],
  recovered: [
    { site: shop, events: [{ type: "site.recovered", token: tokens.after, data: { since } }, resolved(nine)], measured: measured(52, 99) },
  ],
  expiring: [
    {
      site: shop,
      events: [{ type: "certificate.expiring", token: null, data: { expiresAt: "2026-03-12T12:00:00.000Z", daysLeft: 7 } }],
      measured: measured(99, null),
    },
  ],
  unreachable: [
    {
      site: shop,
      events: [{ type: "site.unreachable", token: null, data: { since, errorCode: "timeout" } }],
      measured: measured(99, null),
    },
  ],
  hostile: [
    {
      site: {
        ...siteOf(4, `${longWord}.example`),
        name: `${longWord} </h2><script>alert(1)</script>`,
        url: `https://a.example/${longWord}`,
      },
      events: [opened([{ code: `security.own.${longWord}`, checkKey: "own", severity: "high", urls: [] }])],
      measured: measured(100, 0),
    },
  ],
  unstable: [
    {
      site: shop,
      events: [{ type: "finding.unstable", token: tokens.after, data: { findings: findingsOf("high") } }],
      measured: measured(90, 92),
    },
  ],
} as const satisfies Readonly<Record<string, readonly Told[]>>;

export const mailSampleNames = [
  ...Object.keys(told),
  "rules",
  "invitation",
  "member",
  "reset",
  "confirmation",
] as readonly MailSampleName[];
export type MailSampleName = keyof typeof told | "rules" | "invitation" | "member" | "reset" | "confirmation";

function mailContextOf(locale: PageLocale, sites: readonly Told[] = []): ChannelMailContext {
  return {
    words: mailWords(texts, locale),
    address,
    sender: "Agency Security",
    account: { email: "owner@agency.example" },
    channel: mailChannel,
    brand: undefined,
    measurementsOf: ({ id }) => sites.find(({ site }) => site.id === id)?.measured ?? measured(null, null),
  };
}

export function sampleMail(name: MailSampleName, locale: PageLocale): RenderedMail {
  const context = mailContextOf(locale);
  const owner = { email: "owner@agency.example" };
  const expiresAt = "2026-03-12T09:30:00.000Z";
  switch (name) {
    case "invitation":
      return oneTimeLinkMail(context, "invitation", `${address}/sign-up?t=${"x".repeat(43)}`, expiresAt);
    case "reset":
      return oneTimeLinkMail(context, "reset", `${address}/reset?t=${"x".repeat(43)}`, expiresAt);
    case "member":
      return memberInvitationMail(context, owner, { role: "viewer", expiresAt }, `${address}/join?t=${"x".repeat(43)}`);
    case "confirmation":
      return confirmationMail(context, owner, mailChannel, "v".repeat(43));
    case "rules": {
      const data = { catalogVersion: "9f1c2a7d5e3b", algorithmVersion: 3, sites: 60, changed: 41 };
      const largestChange = { site: { id: 1, name: shop.name, url: shop.url }, from: 99, to: 87 };
      return digestMail(context, [storedEvent({ type: "catalog.changed", token: null, data: { ...data, largestChange } }, { site: null })]);
    }
    default: {
      const sites: readonly Told[] = told[name];
      return digestMail({ ...mailContextOf(locale, sites), ...(name === "hostile" ? { brand } : {}) }, eventsOf(sites));
    }
  }
}

function eventsOf(sites: readonly Told[]): readonly StoredEvent[] {
  return sites.flatMap(({ site, events }) => events.map((event) => storedEvent(event, { site, at })));
}
