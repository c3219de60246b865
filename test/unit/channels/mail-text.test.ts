/** Mails: their texts in both languages, links, bounds, and hostile names. */

import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { parseChannelName } from "../../../src/channels/channel-operations.ts";
import {
  type ChannelMailContext,
  channelDisabledMail,
  confirmationMail,
  digestMail,
  mailWords,
  memberInvitationMail,
  oneTimeLinkMail,
  testMail,
} from "../../../src/channels/mail-text.ts";
import type { Channel } from "../../../src/store/channels.ts";
import type { EventData, EventFinding, StoredEvent } from "../../../src/store/site-events.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { sourcesBelow } from "../../support/source-tree.ts";
import { eventSite, newEvents, storedEvent, storedEvents } from "../../support/stored-events.ts";

// reads: src/channels/
const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });
const now = new Date("2026-03-05T10:00:00Z");
const address = "https://assay.test";
const account = { email: "owner@agency.test" };
const channel: Channel = {
  id: 3,
  accountId: 9,
  kind: "mail",
  name: "Team",
  target: "team@agency.test",
  secrets: [],
  createdAt: now.toISOString(),
  verifiedAt: now.toISOString(),
  confirmation: null,
  unsubscribeKey: "k".repeat(43),
  disabled: null,
};
const words = (locale: string) => mailWords(texts, locale);
const context = (given: Partial<ChannelMailContext> = {}): ChannelMailContext => ({
  words: words("en-gb"),
  address,
  sender: "Assay",
  account,
  channel,
  brand: undefined,
  measurementsOf: () => ({ before: null, after: null, since: now.toISOString() }),
  ...given,
});
const locales = ["en-gb", "de-de"] as const;
const ofType = (type: StoredEvent["type"], given: Partial<Omit<StoredEvent, "type" | "data">> = {}) => {
  const event = newEvents.find((one) => one.type === type);
  if (event === undefined) throw new Error(`there is no event ${type}`);
  return storedEvent(event, given);
};
const otherSite = { ...eventSite, id: 8, name: "Butcher", url: "https://butcher.example/" };
const subjectOf = (events: readonly StoredEvent[], locale = "en-gb") => digestMail(context({ words: words(locale) }), events).subject;

describe("a change of the checks", () => {
  const textOf = (event: StoredEvent, locale = "en-gb") => digestMail(context({ words: words(locale) }), [event]).text;

  test("names the number of sites and the largest change", () => {
    const event = ofType("catalog.changed", { site: null });
    expect(textOf(event)).toContain(
      "60 sites were measured with the new checks. 41 scores differ from those before. The largest change: Bakery, from 99 to 87 of 100 points.",
    );
    expect(textOf(event, "de-de")).toContain("bei Bakery: von 99 auf 87 von 100 Punkten.");
  });

  test("that moved no score, or was stored by an earlier release, has no largest one", () => {
    const versions = { catalogVersion: "c2", algorithmVersion: 3 };
    const data = { ...versions, sites: 1, changed: 0, largestChange: null };
    const stored = (given: typeof versions) => storedEvent({ type: "catalog.changed", token: null, data: given }, { site: null });
    expect(textOf(stored(data))).toContain("1 site was measured with the new checks. 0 scores differ from those before.");
    expect(textOf(stored(data))).not.toContain("largest");
    expect(textOf(stored(versions))).toContain("No site got worse by it.");
    expect(textOf(stored(versions))).not.toContain("measured with");
  });
});

describe("the subject of a digest", () => {
  test.each([
    ["site.score_dropped", "Bakery: score fell from 88 to 61", "Bakery: von 88 auf 61 Punkte gefallen"],
    ["finding.opened", "Bakery: 1 new finding (High)", "Bakery: 1 neuer Befund (Hoch)"],
    ["finding.resolved", "Bakery: 1 finding resolved", "Bakery: 1 Befund behoben"],
    ["certificate.expiring", "Bakery: certificate expires in 7 days", "Bakery: Zertifikat l\u00e4uft in 7 Tagen ab"],
    ["site.unreachable", "Bakery: unreachable", "Bakery: nicht erreichbar"],
  ] as const)("names the one site and %s", (type, english, german) => {
    const events = [ofType(type)];
    expect([subjectOf(events), subjectOf(events, "de-de")]).toEqual([english, german]);
  });

  test.each([
    [{ status: "finished", proven: true }, "proven: nothing breaks, and injected code is stopped"],
    [{ status: "finished", proven: false }, "not proven"],
    [{ status: "failed", proven: false }, "proof failed"],
  ] as const)("names the outcome of the proof %j", (end, outcome) => {
    const { data } = ofType("proof.finished");
    const event = storedEvent(
      { type: "proof.finished", token: null, data: { ...data, ...end } as EventData["proof.finished"] },
      { site: null },
    );
    expect(subjectOf([event])).toBe(`https://other.example/: ${outcome}`);
  });

  test("names the worst of several, and how many got worse", () => {
    const events = [ofType("finding.resolved"), ofType("finding.opened"), ofType("site.unreachable", { site: otherSite })];
    expect(subjectOf(events)).toBe("2 sites got worse. Butcher: unreachable");
    expect(subjectOf(events, "de-de")).toBe("2 Websites wurden schlechter. Butcher: nicht erreichbar");
  });

  test("names the certificate that expires first, and the worst severity of new findings", () => {
    const expiring = (daysLeft: number, site = eventSite) =>
      storedEvent({ type: "certificate.expiring", token: null, data: { expiresAt: "2026-03-12T12:00:00.000Z", daysLeft } }, { site });
    expect(subjectOf([expiring(7), expiring(2, otherSite)])).toBe("2 sites got worse. Butcher: certificate expires in 2 days");
    expect(subjectOf([expiring(2), expiring(7, otherSite)])).toBe("2 sites got worse. Bakery: certificate expires in 2 days");
    expect([1, 0].map((daysLeft) => subjectOf([expiring(daysLeft)]))).toEqual([
      "Bakery: certificate expires in 1 day",
      "Bakery: certificate has expired",
    ]);
    const found = (severity: EventFinding["severity"], at: number) => ({ code: `security.x.y${at}`, checkKey: "x", severity, urls: [] });
    const findings = [found("low", 1), found("critical", 2), found("medium", 3)];
    expect(subjectOf([storedEvent({ type: "finding.opened", token: null, data: { findings } })])).toBe(
      "Bakery: 3 new findings (worst: Critical)",
    );
  });

  test("counts the sites where none got worse", () => {
    expect(subjectOf([ofType("site.recovered"), ofType("finding.resolved", { site: otherSite })])).toBe(
      "News of 2 sites. Bakery: measured again",
    );
  });

  test("is one line of at most 78 characters without signs that change the direction", () => {
    const name = `a\r\nBcc: x@y.test\u202e\u2028${"\u{1f600}".repeat(100)}`;
    const subject = subjectOf([ofType("finding.opened", { site: { ...eventSite, name } })]);
    expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(subject.length).toBeLessThanOrEqual(78);
  });
});

describe.each(locales)("a digest in %s", (locale) => {
  const mail = digestMail(context({ words: words(locale) }), storedEvents);

  test("has no missing text and no empty value", () => {
    for (const part of [mail.subject, mail.text, mail.html]) {
      expect(part).not.toMatch(/\{\{|undefined|NaN|Invalid/);
      expect(part).not.toMatch(/\b(?:digest|short|long|layout)\.\w/);
    }
  });

  test("has the title of each finding, and links to site, report and end of the mails", () => {
    const title = (locale === "en-gb" ? enGb : deDe).checks["content-security-policy"].findings;
    for (const part of [mail.text, mail.html])
      for (const expected of [
        title["security.missing-header.content-security-policy"].title,
        `${address}/sites/7`,
        `${address}/scans/67nIDqqCondMLX7iB8bYxR`,
        `${address}/unsubscribe/9-3?key=${"k".repeat(43)}`,
        "https://other.example/",
      ])
        expect(part).toContain(expected);
  });

  test("names the language in the HTML", () => {
    expect(mail.html).toContain(`<html lang="${locale === "en-gb" ? "en-GB" : "de-DE"}">`);
  });
});

describe("a digest", () => {
  test("puts the events of one site together, the worst site and event first", () => {
    const events = [ofType("finding.resolved"), ofType("site.unreachable", { site: otherSite }), ofType("finding.opened")];
    const { text } = digestMail(context(), events);
    const places = ["Butcher\n", "Not measured since", "Bakery\n", "1 new finding:", "1 finding is resolved:"].map((one) =>
      text.indexOf(one),
    );
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places.toSorted((one, other) => one - other)).toEqual(places);
  });

  test("underlines each site, and links the newest scan of it", () => {
    const tokens = ["a", "c", "b"].map((letter) => letter.repeat(22));
    const [first, newest, second] = tokens.map((token) => ({ ...ofType("finding.opened"), token }));
    const { text } = digestMail(
      context(),
      [first, newest, second].flatMap((event, at) => (event ? [{ ...event, seq: [1, 3, 2][at] ?? 0 }] : [])),
    );
    expect(text).toContain("\nBakery\n------\n\n");
    expect(text.match(/\/scans\/\w+/g)).toEqual([`/scans/${"c".repeat(22)}`]);
  });

  test("shows 10 sites in detail and 40 in one line each, and counts the rest", () => {
    const events = Array.from({ length: 53 }, (_, at) =>
      ofType("finding.opened", { site: { ...eventSite, id: at + 1, name: `Site ${at}` } }),
    );
    const { text, html } = digestMail(context(), events);
    expect(text.match(/^Site \d+$/gm)?.length).toBe(10);
    expect(text.match(/^- Site \d+: 1 new finding \(High\)$/gm)?.length).toBe(40);
    expect(text).toContain("And 3 more sites, which the overview shows.");
    expect(text).toContain(`All sites: ${address}/sites\n`);
    // Some mail programs cut HTML of 102 KB.
    expect(html.length).toBeLessThan(100_000);
  });

  test("lists at most 3 findings, the worst first, counts all by severity, and shows unknown codes as they are", () => {
    const findings: readonly EventFinding[] = [
      ...Array.from({ length: 30 }, (_, at) => ({ code: `security.own.x${at}`, checkKey: "own", severity: "low" as const, urls: [] })),
      { code: "security.own.worst", checkKey: "own", severity: "critical", urls: [] },
    ];
    const { text } = digestMail(context(), [storedEvent({ type: "finding.opened", token: null, data: { findings } })]);
    expect(text).toContain("31 new findings: 1 Critical, 30 Low\n\n- Critical: security.own.worst\n- Low: security.own.x0\n");
    expect(text.match(/^- /gm)?.length).toBe(4);
    expect(text).toContain("- And 28 more.");
  });

  test("has brand, footer and colour of the account", () => {
    const brand = { name: "Agency & Sons", logoPng: null, accent: "#aa0000", footer: "Agency Street 1" };
    const { text, html } = digestMail(context({ brand }), [ofType("site.recovered")]);
    expect(text.startsWith("Bakery: measured again\n")).toBe(true);
    expect(text).toContain("\n-- \nAgency & Sons\n");
    expect(text).toContain("Agency Street 1");
    expect(html).toContain("Agency &amp; Sons");
    expect(html).toContain("color:#aa0000");
    expect(digestMail(context({ brand: { ...brand, accent: "red;x:url(//evil)" } }), []).html).not.toContain("evil");
  });

  test("says since when and why a site is not measured, and that a certificate has expired", () => {
    const expired = storedEvent({
      type: "certificate.expiring",
      token: null,
      data: { expiresAt: "2026-03-04T12:00:00.000Z", daysLeft: 0 },
    });
    const { text } = digestMail(context(), [ofType("site.unreachable"), expired]);
    expect(text).toContain("Not measured since 5 Mar 2026, 09:30 UTC. bakery.example did not answer in time.");
    expect(text).toContain("The certificate expired on 4 Mar 2026.");
  });
});

describe("hostile texts", () => {
  const hostile = `"><script>alert(1)</script>&amp;'\u202e\u0000\r\n-- \r\nx ${"y".repeat(2_000)}`;
  const site = { ...eventSite, name: hostile, url: `https://a.example/?${"z".repeat(2_000)}`, client: hostile };
  const findings = [{ code: hostile, checkKey: hostile, severity: "high", urls: [hostile] }] as const;
  const events = [
    storedEvent({ type: "finding.opened", token: "t", data: { findings } }, { site }),
    storedEvent({ type: "site.unreachable", token: null, data: { since: now.toISOString(), errorCode: hostile } }, { site }),
    storedEvent(
      {
        type: "scan.finished",
        token: "t",
        data: { token: "t", id: 1, url: hostile, status: "failed", errorCode: hostile, score: null, band: "unknown", rank: "unknown" },
      },
      { site: null },
    ),
  ];
  const brand = { name: hostile, logoPng: null, accent: hostile, footer: hostile };
  const mails = [
    digestMail(context({ brand, channel: { ...channel, name: hostile }, account: { email: hostile } }), events),
    testMail(context({ channel: { ...channel, name: hostile } })),
  ];

  test("are escaped in HTML", () => {
    for (const { html } of mails) {
      expect(html).not.toMatch(/<script|[\p{Cf}]/u);
      expect(html.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      const attributes = [...html.matchAll(/<[^>]+>/g)].map(([tag]) => tag).filter((tag) => /\son\w+=|javascript:/i.test(tag));
      expect(attributes).toEqual([]);
    }
    expect(mails[0]?.html).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&#39;");
  });

  test("stay within a line of bounded length", () => {
    for (const { text, subject } of mails) {
      expect(subject).not.toMatch(/[\r\n]/);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      // One separator before the footer: content cannot add another.
      expect(text.match(/^-- $/gm)).toEqual(["-- "]);
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(700);
    }
  });
});

describe("other mails", () => {
  const hooks: Channel = { ...channel, kind: "webhook", target: "https://hooks.test/services/secret", unsubscribeKey: null };

  test.each(locales)("have all texts in %s", (locale) => {
    const given = { words: words(locale), address, sender: "Assay" };
    const expiresAt = "2026-03-06T10:00:00.000Z";
    const mails = [
      confirmationMail(given, account, channel, "v".repeat(43)),
      memberInvitationMail(given, account, { role: "viewer", expiresAt }, `${address}/join?t=x`),
      memberInvitationMail(given, account, { role: "editor", expiresAt }, `${address}/join?t=x`),
      oneTimeLinkMail(given, "reset", `${address}/reset?t=x`, expiresAt),
      oneTimeLinkMail(given, "invitation", `${address}/sign-up?t=x`, expiresAt),
      channelDisabledMail(given, hooks, "gone"),
      channelDisabledMail(given, hooks, "failed"),
      channelDisabledMail(given, channel, "failed"),
      testMail(context({ words: given.words })),
    ];
    expect(new Set(mails.map(({ text }) => text)).size).toBe(mails.length);
    for (const { subject, text, html } of mails)
      for (const part of [subject, text, html]) {
        expect(part).not.toMatch(/\{\{|undefined/);
        expect(part).not.toMatch(/\b(?:confirmation|memberInvitation|reset|invitation|disabled|test|layout)\.[a-z]+\b(?<!\.test)/);
      }
  });

  test("lead where they should", () => {
    const confirmation = confirmationMail(context(), account, channel, "v".repeat(43));
    expect(confirmation.text).toContain(`${address}/confirm-channel/9-3?key=${"v".repeat(43)}\n`);
    expect(oneTimeLinkMail(context(), "reset", `${address}/reset?t=x`, now.toISOString()).text).toContain(`${address}/reset?t=x\n`);
    expect(channelDisabledMail(context(), hooks, "gone").text).toContain(`${address}/account/channels?edit=${hooks.id}\n`);
  });

  test("to an address that is not confirmed have no text of the account but its address", () => {
    const { text, html } = confirmationMail(context(), account, { ...channel, name: "Buy pills" }, "v");
    for (const part of [text, html]) {
      expect(part).not.toContain("Buy pills");
      expect(part).toContain(account.email);
    }
  });

  test.each([channel, hooks])("about a disabled channel show neither its name nor its target: $kind", ({ kind }) => {
    const given = { ...(kind === "mail" ? channel : hooks), name: "Buy pills" };
    const { subject, text, html } = channelDisabledMail(context(), given, "failed");
    for (const part of [subject, text, html]) expect(part).not.toMatch(/pills|hooks\.test|secret|team@agency\.test/);
  });

  test("have no link for an address that is none", () => {
    expect(oneTimeLinkMail(context(), "reset", "javascript:alert(1)", now.toISOString()).html).not.toContain("javascript");
  });
});

test("the name of a channel in a link is read back", () => {
  expect(parseChannelName("9-3")).toEqual({ accountId: 9, id: 3 });
  for (const wrong of ["", "9", "9-", "-3", "09-3", "9-3-1", "9-3x", `9-${"1".repeat(16)}`]) expect(parseChannelName(wrong)).toBeNull();
});

describe("texts of mails", () => {
  const code = sourcesBelow("src/channels")
    .map(({ text }) => text)
    .join("\n");
  const pathsOf = (tree: object, above = ""): readonly string[] =>
    "one" in tree && "other" in tree && Object.keys(tree).length === 2
      ? [above]
      : Object.entries(tree).flatMap(([name, part]) => {
          const path = above === "" ? name : `${above}.${name}`;
          return typeof part === "string" ? [path] : pathsOf(part, path);
        });

  test("are all used", () => {
    const composed = [...code.matchAll(/`([\w.]*\$\{\w+\}[\w.]*)`/g)].map(
      ([, template = ""]) => new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\$\{\w+\}/g, "\\w+")}$`),
    );
    const unused = pathsOf(enGb.mail).filter((path) => !code.includes(`"${path}"`) && !composed.some((one) => one.test(path)));
    expect(unused).toEqual([]);
  });
});
