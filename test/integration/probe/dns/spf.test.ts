/** Queries of the SPF evaluation to a real DNS server: each name once, bounded, with failures and loops. */
import { describe, expect, test } from "vitest";
import { spfQuestionsMax, spfRecordCharsMax } from "../../../../src/evidence/limits.ts";
import { probeSpf } from "../../../../src/probe/dns/mail.ts";
import { keep } from "../../../support/clean-up.ts";
import { startDnsServer, type Zones } from "../../../support/dns-server.ts";
import { contextOf } from "../../../support/probe-context.ts";

async function probe(zones: Zones, deadlineMs?: number) {
  const dns = keep(await startDnsServer(zones));
  const reading = await probeSpf({ ...contextOf("https://www.example.com/", {}, deadlineMs), dnsServers: [dns.address] });
  return { reading, asked: dns.queries.map(({ question }) => question) };
}

async function factsOf(zones: Zones, deadlineMs?: number) {
  const { reading, asked } = await probe(zones, deadlineMs);
  if (reading.status === "failed") throw new Error(`the reading failed: ${reading.because}`);
  const followed = reading.facts.followed.map(({ type, name, answer }) => [
    `${type} ${name}`,
    answer.status === "failed" ? answer.because : answer.facts.nameExists ? answer.facts.records.map(({ text }) => text) : "absent",
  ]);
  return {
    ...reading.facts,
    followed: Object.fromEntries(followed) as Record<string, unknown>,
    order: followed.map(([question]) => question),
    asked,
  };
}

/** Splits a text, because a string of a record has at most 255 bytes. */
const strings = (text: string): readonly string[] => text.match(/.{1,255}/g) ?? [];
const spf = (record: string) => ({ TXT: [strings(record)] });

describe("queries", () => {
  test("cover every kind of term that needs an answer", async () => {
    const { followed, order, asked } = await factsOf({
      "example.com": {
        ...spf(
          "v=spf1 a a:host.example.com/24 mx mx:example.net exists:yes.example.com ip4:192.0.2.1 ip6:::1 ptr exp=why.example.com include:_spf.example.com ~all",
        ),
        A: ["192.0.2.1"],
        MX: [{ preference: 10, exchange: "Mail.Example.com" }],
      },
      "host.example.com": { A: ["192.0.2.3", "192.0.2.2"], AAAA: ["2001:db8::1"] },
      "example.net": { A: [] },
      "_spf.example.com": spf("v=spf1 a:inner.example.com -all"),
      "inner.example.com": { AAAA: ["2001:db8::2"] },
    });
    expect(followed).toEqual({
      "A example.com": ["192.0.2.1"],
      "A host.example.com": ["192.0.2.2", "192.0.2.3", "2001:db8::1"],
      "MX example.com": ["mail.example.com"],
      "MX example.net": [],
      "A yes.example.com": "absent",
      "TXT _spf.example.com": ["v=spf1 a:inner.example.com -all"],
      "A inner.example.com": ["2001:db8::2"],
    });
    expect(order).toEqual(Object.keys(followed));
    expect(asked.filter((question) => /why|ptr/.test(question))).toEqual([]);
  });
  test("expand macros of the domain, but not those of the sender", async () => {
    const { order } = await factsOf({
      "example.com": spf("v=spf1 include:_spf.%{d} exists:%{i}.%{d} a:%{l}.example.com include:%{ir}.x.com -all"),
      "_spf.example.com": spf("v=spf1 include:%{d1}.%{o} -all"),
    });
    expect(order).toEqual(["TXT _spf.example.com", "TXT com.example.com"]);
  });
  test("exclude terms after all, and a redirect beside all", async () => {
    expect((await factsOf({ "example.com": spf("v=spf1 -all include:a.example.com redirect=b.example.com") })).order).toEqual([]);
  });
  test("follow a redirect without all", async () => {
    const { order } = await factsOf({
      "example.com": spf("v=spf1 redirect=a.example.com"),
      "a.example.com": spf("v=spf1 redirect=b.example.com"),
    });
    expect(order).toEqual(["TXT a.example.com", "TXT b.example.com"]);
  });
  test("stop without a record or with several", async () => {
    expect((await factsOf({ "example.com": { TXT: ["verification"] } })).asked).toEqual(["TXT example.com"]);
    expect((await factsOf({ "example.com": { TXT: ["v=spf1 mx -all", "v=spf1 a -all"] } })).asked).toEqual(["TXT example.com"]);
    expect((await factsOf({})).own).toEqual({ name: "example.com", nameExists: false, records: [], recordsDropped: 0 });
  });
});

describe("bounds", () => {
  test("each name and type once, for any repetition, case and loop", async () => {
    const { asked } = await factsOf({
      "example.com": spf("v=spf1 include:A.example.com include:a.example.com. include:example.com a:b.example.com a:b.example.com/24 -all"),
      "a.example.com": spf("v=spf1 include:example.com include:a.example.com include:c.example.com a:B.example.com -all"),
      "c.example.com": spf("v=spf1 include:a.example.com -all"),
    });
    expect([...asked].sort()).toEqual([
      "A b.example.com",
      "AAAA b.example.com",
      "TXT a.example.com",
      "TXT c.example.com",
      "TXT example.com",
    ]);
  });
  test("questions beyond the limit are only counted", async () => {
    const names = Array.from({ length: spfQuestionsMax + 7 }, (_, at) => `include:n${at}.example.com`);
    const { order, followedDropped } = await factsOf({ "example.com": spf(`v=spf1 ${names.join(" ")} -all`) });
    expect(order).toHaveLength(spfQuestionsMax);
    expect(followedDropped).toBe(7);
  });
  test("an endless tree of includes", async () => {
    const grove = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `n${at}.example.com`,
        spf(`v=spf1 include:n${at * 2 + 1}.example.com include:n${at * 2 + 2}.example.com -all`),
      ]),
    );
    const { order, followedDropped } = await factsOf({ ...grove, "example.com": spf("v=spf1 include:n0.example.com -all") });
    expect(order).toHaveLength(spfQuestionsMax);
    expect(followedDropped).toBeGreaterThan(0);
  });
  test("a long record of many strings is complete, a too long one is truncated and marked", async () => {
    const networks = Array.from({ length: 120 }, (_, at) => `ip4:192.0.2.${at}`).join(" ");
    const long = `v=spf1 ${networks} -all`;
    const whole = await factsOf({ "example.com": { TXT: { truncatedOverUdp: [strings(long)] } } });
    expect(whole.own.records).toEqual([{ text: long, truncated: false }]);
    const endless = `v=spf1 ${"a:host.example.com ".repeat(400)}-all`;
    const cut = await factsOf({ "example.com": { TXT: { truncatedOverUdp: [strings(endless)] } } });
    expect(cut.own.records[0]).toMatchObject({ truncated: true });
    expect(cut.own.records[0]?.text).toHaveLength(spfRecordCharsMax);
    expect(cut.order).toEqual(["A host.example.com"]);
  });
  test("of an included name only SPF records are kept, or one other record", async () => {
    const { followed } = await factsOf({
      "example.com": spf("v=spf1 include:a.example.com include:b.example.com include:c.example.com -all"),
      "a.example.com": { TXT: ["x", "v=spf1 -all", "v=DMARC1", "y"] },
      "b.example.com": { TXT: ["x", "y"] },
      "c.example.com": { TXT: ["v=spf1 mx -all", "v=spf1 a -all", "v=spf1 -all"] },
    });
    expect(followed).toMatchObject({ "TXT a.example.com": ["v=spf1 -all"], "TXT b.example.com": ["x"] });
    expect(followed["TXT c.example.com"]).toHaveLength(2);
  });
  test("a name with dropped records may have an SPF record", async () => {
    const { followed } = await factsOf({
      "example.com": spf("v=spf1 include:a.example.com -all"),
      "a.example.com": { TXT: { truncatedOverUdp: Array.from({ length: 60 }, (_, at) => `v=a${at}`) } },
    });
    expect(followed).toEqual({ "TXT a.example.com": "too-large" });
  });
});

describe("failures", () => {
  test("each question fails alone", async () => {
    const { followed } = await factsOf({
      "example.com": {
        ...spf("v=spf1 include:a.example.com mx a:b.example.com a:c.example.com include:d.example.com -all"),
        MX: "SERVFAIL",
      },
      "a.example.com": { TXT: "SERVFAIL" },
      "b.example.com": { A: "SERVFAIL", AAAA: ["2001:db8::1"] },
      "c.example.com": { A: "SERVFAIL" },
      "d.example.com": spf("v=spf1 -all"),
    });
    expect(followed).toEqual({
      "TXT a.example.com": "unresolved",
      "MX example.com": "unresolved",
      "A b.example.com": ["2001:db8::1"],
      "A c.example.com": "unresolved",
      "TXT d.example.com": ["v=spf1 -all"],
    });
  });
  test("the deadline keeps earlier answers", async () => {
    const zones: Zones = {
      "example.com": spf("v=spf1 include:a.example.com include:b.example.com -all"),
      "a.example.com": { TXT: "silent" },
      "b.example.com": spf("v=spf1 -all"),
    };
    const order: string[] = [];
    const ended = <T>(name: string, facts: Promise<T>) => facts.finally(() => order.push(name));
    const [{ followed }] = await Promise.all([ended("by deadline", factsOf(zones, 2_000)), ended("by timeout", factsOf(zones))]);
    expect(order).toEqual(["by deadline", "by timeout"]);
    expect(followed).toEqual({ "TXT a.example.com": "timeout", "TXT b.example.com": ["v=spf1 -all"] });
  });
  test("questions of one round do not wait for each other", async () => {
    const silent = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}.example.com`, { TXT: "silent" } as const]));
    const { followed, asked } = await factsOf({
      ...silent,
      "example.com": spf(
        `v=spf1 ${Object.keys(silent)
          .map((name) => `include:${name}`)
          .join(" ")} -all`,
      ),
    });
    // All were asked before the first of them was asked again.
    const firstNine = asked.filter((question) => /TXT n\d/.test(question)).slice(0, 9);
    expect(new Set(firstNine).size).toBe(9);
    expect(new Set(Object.values(followed))).toEqual(new Set(["timeout"]));
  });
  test("the reading fails with the domain's own record, and without a domain", async () => {
    expect((await probe({ "example.com": { TXT: "SERVFAIL" } })).reading).toEqual({ status: "failed", because: "unresolved" });
    const dns = keep(await startDnsServer({}));
    const reading = await probeSpf({ ...contextOf("https://192.0.2.1/", {}), dnsServers: [dns.address] });
    expect([reading, dns.queries]).toEqual([{ status: "failed", because: "not-asked" }, []]);
  });
});
