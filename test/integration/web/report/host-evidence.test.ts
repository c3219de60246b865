/** Evidence of IPv6 addresses, name servers and DANE on a report, in both languages. */
import { afterAll, describe, expect, test } from "vitest";
import type { MailHostDane } from "../../../../src/evidence/dns-facts.ts";
import { failed, read as readingOf } from "../../../../src/evidence/evidence.ts";
import { evidence, nameServer } from "../../../support/evidence.ts";
import { knownScans, storeFinished } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

const unanswered = { name: null, authentic: false, records: [], recordsDropped: 0 } as const;
const record = { usage: 3, selector: 1, matchingType: 1, data: "ab".repeat(32), dataBytes: 32 };
const signed: MailHostDane = { zone: "signed", name: "_25._tcp.mx1.site.example", authentic: true, records: [record], recordsDropped: 0 };
const hosts = [
  { host: "mx1.site.example", answer: readingOf(signed) },
  {
    host: "mx2.site.example",
    answer: readingOf<MailHostDane>({ ...signed, name: "_25._tcp.mx2.site.example", authentic: false, records: [] }),
  },
  { host: "mx3.site.example", answer: readingOf<MailHostDane>({ zone: "unsigned", ...unanswered }) },
  { host: "mx4.site.example", answer: readingOf<MailHostDane>({ zone: "no-address", ...unanswered }) },
  { host: "<b>mx5</b>", answer: failed("timeout") },
];
const known = evidence({
  dnsIpv6: { addresses: ["2001:db8::80"] },
  dnsNameServers: {
    servers: [nameServer("ns1.site.example", "192.0.2.53"), { ...nameServer("ns2.site.example"), ipv6: failed("unresolved") }],
    serversDropped: 2,
  },
  mailDane: { hosts, hostsDropped: 3 },
});
const { token } = await storeFinished(pages.store, { evidence: known, result: knownScans.bare.result, at: new Date() });

const words = {
  "en-gb": [
    "The zone of the mail server is signed.",
    "senders ask for no TLSA records",
    "has no address",
    "senders ignore it",
    "more, not shown here",
  ],
  "de-de": ["Die Zone des Mailservers ist signiert.", "fragen daher nicht nach TLSA", "hat keine Adresse", "beachten sie nicht", "weitere"],
} as const;

describe.each(["en-gb", "de-de"] as const)("a report in %s", (locale) => {
  test("shows addresses, name servers and TLSA records", async () => {
    const html = await (await fetch(`${pages.url}/scans/${token}`, { headers: { cookie: `locale=${locale}` } })).text();
    const text = html.replaceAll(/<[^>]*>/g, "");
    for (const word of [...words[locale], "2001:db8::80", "site.example NS", "ns1.site.example A", "192.0.2.53", "ns2.site.example AAAA"])
      expect(text).toContain(word);
    for (const word of ["_25._tcp.mx1.site.example", `3 1 1 ${"ab".repeat(32)}`, "_25._tcp.mx2.site.example"]) expect(text).toContain(word);
    expect(html).toContain("&lt;b>mx5&lt;/b>");
    expect(text).not.toMatch(/\bevidence\.[a-z]+[A-Z.][\w.]*/);
  });
});

test("evidence of an older assay lacks the readings", async () => {
  const { dnsIpv6, dnsNameServers, mailDane, ...older } = known;
  const stored = await storeFinished(pages.store, { evidence: older as typeof known, result: knownScans.bare.result, at: new Date() });
  const answer = await fetch(`${pages.url}/scans/${stored.token}`);
  expect(answer.status).toBe(200);
  expect([dnsIpv6, dnsNameServers, mailDane].map(({ status }) => status)).toEqual(["read", "read", "read"]);
});

describe("cookies", () => {
  const line = (name: string, host = "site.example") => ({
    host,
    overHttps: true,
    line: `${name}=<redacted>; Path=/; Secure; HttpOnly`,
    truncated: false,
  });
  const shownCookies = async (setCookies: readonly ReturnType<typeof line>[]) => {
    const given = evidence({ page: { setCookies } });
    const stored = await storeFinished(pages.store, { evidence: given, result: knownScans.bare.result, at: new Date() });
    const html = await (await fetch(`${pages.url}/scans/${stored.token}`)).text();
    return /id="evidence-cookies">(.*?)<\/details>/s.exec(html)?.[1] ?? "";
  };
  const count = (html: string, text: string) => html.split(text).length - 1;

  test("a cookie that is set again is one row, and the only origin is named once", async () => {
    const html = await shownCookies([line("sid"), line("sid"), line("theme")]);
    expect([count(html, "<tr"), count(html, "https://site.example"), count(html, "Path=/; Secure; HttpOnly")]).toEqual([3, 1, 2]);
  });

  test("several origins are named in their rows", async () => {
    const html = await shownCookies([line("sid"), line("sid", "cdn.example")]);
    expect([count(html, "https://site.example"), count(html, "https://cdn.example")]).toEqual([1, 1]);
  });
});
