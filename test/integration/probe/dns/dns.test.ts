/** CAA lookup and shared TXT queries against a real resolver. */
import { describe, expect, test } from "vitest";
import { dnsRecordCharsMax, dnsRecordsMax } from "../../../../src/evidence/limits.ts";
import { probeDnsCaa, probeTlsRpt } from "../../../../src/probe/dns/dns.ts";
import { keep } from "../../../support/clean-up.ts";
import { startDnsServer, type Zones } from "../../../support/dns-server.ts";
import { contextOf } from "../../../support/probe-context.ts";

async function probe(zones: Zones, url = "https://www.shop.example.com/", deadlineMs?: number) {
  const dns = keep(await startDnsServer(zones));
  const reading = await probeDnsCaa({ ...contextOf(url, {}, deadlineMs), dnsServers: [dns.address] });
  return { reading, dns };
}

const issue = (value: string) => ({ flags: 0, tag: "issue", value });

describe("the CAA lookup", () => {
  test("stops at the first name with records", async () => {
    const { reading, dns } = await probe({
      "www.shop.example.com": { A: ["192.0.2.1"] },
      "shop.example.com": { CAA: [issue("ca.example"), { flags: 128, tag: "issuewild", value: ";" }] },
      "example.com": { CAA: [issue("other.example")] },
    });
    expect(reading).toEqual({
      status: "read",
      facts: {
        foundAt: "shop.example.com",
        records: [
          { critical: false, tag: "issue", value: "ca.example", truncated: false },
          { critical: true, tag: "issuewild", value: ";", truncated: false },
        ],
        recordsDropped: 0,
        asked: ["www.shop.example.com", "shop.example.com"],
      },
    });
    expect(dns.queries.map(({ question }) => question)).toEqual(["CAA www.shop.example.com", "CAA shop.example.com"]);
  });

  test("continues up to the top-level domain", async () => {
    const { reading } = await probe({ "example.com": { A: ["192.0.2.1"] } });
    expect(reading).toMatchObject({
      facts: { foundAt: null, records: [], asked: ["www.shop.example.com", "shop.example.com", "example.com", "com"] },
    });
  });

  test("uses the records of an alias", async () => {
    const { reading } = await probe({
      "www.shop.example.com": { CNAME: ["host.example.net"] },
      "host.example.net": { CAA: [issue("ca.example")] },
    });
    expect(reading).toMatchObject({ facts: { foundAt: "www.shop.example.com", records: [{ value: "ca.example" }] } });
  });
});

test("long answers are read over TCP and bounded", async () => {
  const records = Array.from({ length: dnsRecordsMax + 1 }, (_, index) => issue(`${index}.${"x".repeat(dnsRecordCharsMax)}`));
  const { reading, dns } = await probe({ "www.shop.example.com": { CAA: { truncatedOverUdp: records } } });
  expect(dns.queries.map(({ over }) => over)).toEqual(["udp", "tcp"]);
  expect(reading).toMatchObject({ facts: { recordsDropped: 1 } });
  const kept = reading.status === "read" ? reading.facts.records : [];
  expect(kept).toHaveLength(dnsRecordsMax);
  expect(kept.every(({ value, truncated }) => truncated && value.length === dnsRecordCharsMax)).toBe(true);
});

test("records are sorted regardless of the resolver's order, with policies first", async () => {
  const texts = [...Array.from({ length: dnsRecordsMax }, (_, index) => `verification=${index}`), "v=TLSRPTv1; rua=mailto:tls@example.com"];
  const readings = await Promise.all(
    [texts, texts.toReversed()].map(async (records) => {
      const dns = keep(await startDnsServer({ "_smtp._tls.example.com": { TXT: records } }));
      return probeTlsRpt({ ...contextOf("https://example.com/", {}), dnsServers: [dns.address] });
    }),
  );
  expect(readings[0]).toEqual(readings[1]);
  expect(readings[0]).toMatchObject({ facts: { recordsDropped: 1 } });
  expect(readings[0]?.status === "read" && readings[0].facts.records[0]?.text).toMatch(/^v=TLSRPTv1/);
});

describe("without an answer", () => {
  test("a resolver that fails", async () => {
    const { reading } = await probe({
      "www.shop.example.com": {},
      "shop.example.com": { CAA: "SERVFAIL" },
      "example.com": { CAA: [issue("ca.example")] },
    });
    expect(reading).toEqual({ status: "failed", because: "unresolved" });
  });

  test("a silent resolver", async () => {
    const { reading } = await probe({ "www.shop.example.com": { CAA: "silent" } }, undefined, 300);
    expect(reading).toEqual({ status: "failed", because: "timeout" });
  });

  test("the next resolver is asked after a failure", async () => {
    const [broken, good] = [
      keep(await startDnsServer({ "example.com": { CAA: "SERVFAIL" } })),
      keep(await startDnsServer({ "example.com": { CAA: [issue("ca.example")] } })),
    ];
    const reading = await probeDnsCaa({ ...contextOf("https://example.com/", {}), dnsServers: [broken.address, good.address] });
    expect(reading).toMatchObject({ facts: { foundAt: "example.com", asked: ["example.com"] } });
  });

  test.each(["https://site.test/", "https://127.0.0.1/", "https://[::1]/", "https://intranet/", "https://printer.local/"])(
    "%s is not queried",
    async (url) => {
      const { reading, dns } = await probe({}, url);
      expect(reading).toEqual({ status: "failed", because: "not-asked" });
      expect(dns.queries).toEqual([]);
    },
  );
});
