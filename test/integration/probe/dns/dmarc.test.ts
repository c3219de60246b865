/** DMARC tree walk and consent of report receivers, against a real resolver. */
import { describe, expect, test } from "vitest";
import { reportReceiversMax } from "../../../../src/evidence/limits.ts";
import { effectiveDmarc } from "../../../../src/parse/mail/dmarc.ts";
import { probeDmarc } from "../../../../src/probe/dns/mail.ts";
import { keep } from "../../../support/clean-up.ts";
import { startDnsServer, type Zones } from "../../../support/dns-server.ts";
import { contextOf } from "../../../support/probe-context.ts";

async function probe(zones: Zones, url = "https://example.com/", deadlineMs?: number) {
  const dns = keep(await startDnsServer(zones));
  const reading = await probeDmarc({ ...contextOf(url, {}, deadlineMs), dnsServers: [dns.address] });
  return { reading, asked: dns.queries.map(({ question }) => question.replace("TXT _dmarc.", "")) };
}

async function factsOf(zones: Zones, url?: string) {
  const { reading, asked } = await probe(zones, url);
  if (reading.status === "failed") throw new Error(reading.because);
  return { ...reading.facts, asked };
}

const record = (text: string) => ({ TXT: [text] });

describe("the tree walk", () => {
  test("ends at the domain's own record", async () => {
    const { asked, walk } = await factsOf({ "_dmarc.example.com": record("v=DMARC1; p=reject"), "_dmarc.com": record("v=DMARC1; psd=y") });
    expect(asked).toEqual(["example.com"]);
    expect(walk).toEqual([
      { name: "_dmarc.example.com", nameExists: true, records: [{ text: "v=DMARC1; p=reject", truncated: false }], recordsDropped: 0 },
    ]);
  });

  test("continues to the last label", async () => {
    const { asked, walk } = await factsOf({ "_dmarc.example.com": record("v=spf1 -all") }, "https://a.b.example.com/");
    expect(asked).toEqual(["example.com", "com", "a.b.example.com", "b.example.com"]);
    expect(walk.map(({ nameExists }) => nameExists)).toEqual([true, false, false, false]);
    expect(effectiveDmarc(walk, "a.b.example.com")).toBeNull();
  });

  test("of a long name jumps to its last seven labels", async () => {
    const { asked } = await factsOf({}, "https://a.b.c.d.e.f.g.h.example.com/");
    expect(asked).toEqual([
      "example.com",
      "com",
      "a.b.c.d.e.f.g.h.example.com",
      "d.e.f.g.h.example.com",
      "e.f.g.h.example.com",
      "f.g.h.example.com",
      "g.h.example.com",
      "h.example.com",
    ]);
  });

  test("continues if a name has several records, because none of them counts", async () => {
    const zones = {
      "_dmarc.example.com": { TXT: ["v=DMARC1; p=reject", "v=DMARC1; p=none"] },
      "_dmarc.com": record("v=DMARC1; p=none; sp=reject; psd=y"),
    };
    const { asked, walk } = await factsOf(zones);
    expect(asked).toEqual(["example.com", "com"]);
    expect(effectiveDmarc(walk, "example.com")).toMatchObject({ domain: "com", record: { sp: "reject" } });
  });

  test("of the host ends at psd=n, and the domain is queried as well", async () => {
    const zones = { "_dmarc.b.example.com": record("v=DMARC1; p=quarantine; psd=n"), "_dmarc.example.com": record("v=DMARC1; p=reject") };
    const { asked, walk } = await factsOf(zones, "https://a.b.example.com/");
    expect(asked).toEqual(["example.com", "a.b.example.com", "b.example.com"]);
    expect(effectiveDmarc(walk, "a.b.example.com")?.domain).toBe("b.example.com");
    expect(effectiveDmarc(walk, "example.com")?.domain).toBe("example.com");
  });

  test("finds the organisation one label below psd=y, or else at the fewest labels", async () => {
    const zones = {
      "_dmarc.b.example.co.uk": record("v=DMARC1; p=none"),
      "_dmarc.example.co.uk": record("v=DMARC1; p=reject"),
      "_dmarc.co.uk": record("v=DMARC1; p=quarantine; psd=y"),
      "_dmarc.uk": record("v=DMARC1; p=none"),
    };
    const suffixed = await factsOf(zones, "https://a.b.example.co.uk/");
    expect(suffixed.asked).toEqual(["example.co.uk", "a.b.example.co.uk", "b.example.co.uk", "co.uk"]);
    expect(effectiveDmarc(suffixed.walk, "a.b.example.co.uk")?.domain).toBe("example.co.uk");
    const { "_dmarc.co.uk": _suffix, ...open } = zones;
    const top = await factsOf(open, "https://a.b.example.co.uk/");
    expect(effectiveDmarc(top.walk, "a.b.example.co.uk")?.domain).toBe("uk");
  });
});

describe("report receivers", () => {
  const withReports = (...receivers: string[]) => record(`v=DMARC1; p=none; rua=${receivers.map((host) => `mailto:a@${host}`).join(",")}`);

  test("outside the organisation are queried once each, independently", async () => {
    const { reportReceivers, asked } = await factsOf({
      "_dmarc.example.com": withReports("example.com", "mail.example.com", "reports.net", "REPORTS.net", "deaf.net", "broken.net"),
      "example.com._report._dmarc.reports.net": record("v=DMARC1"),
      "example.com._report._dmarc.broken.net": { TXT: "SERVFAIL" },
    });
    expect(asked.slice(1).sort()).toEqual([
      "TXT example.com._report._dmarc.broken.net",
      "TXT example.com._report._dmarc.deaf.net",
      "TXT example.com._report._dmarc.reports.net",
    ]);
    expect(reportReceivers).toEqual([
      {
        domain: "reports.net",
        answer: {
          status: "read",
          facts: {
            name: "example.com._report._dmarc.reports.net",
            nameExists: true,
            records: [{ text: "v=DMARC1", truncated: false }],
            recordsDropped: 0,
          },
        },
      },
      {
        domain: "deaf.net",
        answer: {
          status: "read",
          facts: { name: "example.com._report._dmarc.deaf.net", nameExists: false, records: [], recordsDropped: 0 },
        },
      },
      { domain: "broken.net", answer: { status: "failed", because: "unresolved" } },
    ]);
  });

  test("are queried under the domain of the effective record", async () => {
    const { asked } = await factsOf({ "_dmarc.com": record("v=DMARC1; p=reject; psd=y; rua=mailto:a@reports.net,mailto:b@nic.com") });
    expect(asked).toEqual(["example.com", "com", "TXT com._report._dmarc.reports.net"]);
  });

  test("are not queried for addresses without mail, nor for names too long for DNS", async () => {
    const long = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(40)}.net`;
    const { asked, reportReceivers } = await factsOf({
      "_dmarc.example.com": { TXT: [["v=DMARC1; p=none; rua=https://reports.net/x, a@reports.net, ", `mailto:a@${long}`]] },
    });
    expect(asked).toEqual(["example.com"]);
    expect(reportReceivers).toMatchObject([{ domain: long, answer: { facts: { nameExists: false, records: [] } } }]);
  });

  test("are queried up to a limit", async () => {
    const hosts = Array.from({ length: reportReceiversMax + 2 }, (_, index) => `r${index}.net`);
    const { reportReceivers, reportReceiversDropped } = await factsOf({ "_dmarc.example.com": withReports(...hosts) });
    expect(reportReceivers).toHaveLength(reportReceiversMax);
    expect(reportReceiversDropped).toBe(2);
  });
});

describe("without an answer", () => {
  test("a resolver that fails", async () => {
    const { reading } = await probe({ "_dmarc.example.com": { TXT: "SERVFAIL" } });
    expect(reading).toEqual({ status: "failed", because: "unresolved" });
  });
  test("for a subdomain, the other facts remain", async () => {
    const zones = { "_dmarc.www.example.com": { TXT: "SERVFAIL" }, "_dmarc.example.com": record("v=DMARC1; p=reject") } as const;
    expect(await factsOf(zones, "https://www.example.com/")).toMatchObject({
      hostUnread: "unresolved",
      walk: [{ name: "_dmarc.example.com" }],
    });
    expect(await factsOf(zones, "https://a.example.com/")).toMatchObject({ hostUnread: null });
  });
  test("a silent resolver", async () => {
    const { reading } = await probe({ "_dmarc.example.com": { TXT: "silent" } }, undefined, 300);
    expect(reading).toEqual({ status: "failed", because: "timeout" });
  });
  test.each(["https://site.test/", "https://192.0.2.1/", "https://intranet/"])("%s is not queried", async (url) => {
    const { reading, asked } = await probe({}, url);
    expect(reading).toEqual({ status: "failed", because: "not-asked" });
    expect(asked).toEqual([]);
  });
});
