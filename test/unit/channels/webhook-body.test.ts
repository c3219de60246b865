/** Bodies of webhooks: their form by the published schemas, and their size. */
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { type WebhookType, webhookSchemas } from "../../../src/api/channels/webhooks.ts";
import { webhookBody, webhookBodyBytesMax, webhookTestBody } from "../../../src/channels/webhook.ts";
import { eventTypes } from "../../../src/store/notification-rules.ts";
import type { EventFinding, NewEvent, StoredEvent } from "../../../src/store/site-events.ts";
import { eventSite, storedEvent, storedEvents } from "../../support/stored-events.ts";

const ajv = addFormats.default(new Ajv({ strictTypes: false }));
const links = { publicUrl: "https://assay.test" };

function faultsOf(type: string, body: unknown): unknown {
  const validate = ajv.compile(webhookSchemas[type as WebhookType].schema);
  return validate(body) ? null : validate.errors;
}

const finding = (urls: readonly string[], code = "security.tls.weak"): EventFinding => ({ code, checkKey: "tls", severity: "high", urls });
const opened = (findings: readonly EventFinding[], given: Partial<StoredEvent> = {}) =>
  storedEvent({ type: "finding.opened", token: "t".repeat(22), data: { findings } }, given);
const dataOf = (event: StoredEvent) => JSON.parse(webhookBody(event, links)).data;

describe("the published schema", () => {
  test.each([...eventTypes, "channel.test"])("of %s fits its example", (type) => {
    const { example } = webhookSchemas[type as WebhookType];
    expect([faultsOf(type, example), (example as { type: string }).type]).toEqual([null, type]);
  });

  test.each(storedEvents.map((event): [string, StoredEvent] => [event.type, event]))("of %s fits a real body", (type, event) => {
    expect(faultsOf(type, JSON.parse(webhookBody(event, links)))).toBeNull();
  });

  test.each(storedEvents.map((event): [string, StoredEvent] => [event.type, event]))("of %s names every field", (type, event) => {
    const published = Object.keys((webhookSchemas[type as WebhookType].example as { data: object }).data);
    expect(Object.keys(dataOf(event)).sort()).toEqual(published.sort());
  });

  test("fits the body of a test", () => {
    expect(faultsOf("channel.test", JSON.parse(webhookTestBody(new Date())))).toBeNull();
  });

  test("refuses another type and a missing field", () => {
    const [event] = storedEvents;
    if (event === undefined) throw new Error("there are no events");
    const body = JSON.parse(webhookBody(event, links));
    expect(faultsOf(event.type, { ...body, type: "site.renamed" })).not.toBeNull();
    expect(faultsOf(event.type, { ...body, data: { ...body.data, site: undefined } })).not.toBeNull();
  });
});

describe("a body", () => {
  test("has links to the scan, absolute with a public URL", () => {
    const event = opened([finding([])]);
    expect(dataOf(event).scan).toEqual({
      token: "t".repeat(22),
      statusUrl: `https://assay.test/api/v1/scans/${"t".repeat(22)}`,
      reportUrl: `https://assay.test/scans/${"t".repeat(22)}`,
    });
    expect(JSON.parse(webhookBody(event, { publicUrl: null })).data.scan.reportUrl).toBe(`/scans/${"t".repeat(22)}`);
  });

  test("is the same for every attempt", () => {
    for (const event of storedEvents) expect(webhookBody(event, links)).toBe(webhookBody(event, links));
  });

  test("lists some addresses of a finding and counts all", () => {
    const urls = Array.from({ length: 25 }, (_, at) => `https://a.example/${at}`);
    expect(dataOf(opened([finding(urls)]))).toMatchObject({
      findings: [{ urls: urls.slice(0, 5), urlCount: 25 }],
      findingCount: 1,
      truncated: true,
    });
  });

  test("has the first findings that have space, and no later one in place of a longer one", () => {
    const long = Array.from({ length: 60 }, (_, at) => finding([], `security.plugin.${"x".repeat(2_000)}-${at}`));
    const all = [...long, finding([])];
    const { findings, truncated } = dataOf(opened(all));
    expect(findings.map(({ code }: EventFinding) => code)).toEqual(all.slice(0, findings.length).map(({ code }) => code));
    expect([findings.length < long.length, truncated]).toEqual([true, true]);
  });

  test("that is complete says so", () => {
    expect(dataOf(opened([finding(["https://a.example/"])]))).toMatchObject({ findingCount: 1, truncated: false });
  });

  // A control character takes six bytes in JSON, and a character beyond the BMP four for two.
  test.each([
    ["letters", "x"],
    ["control characters", "\u0001"],
    ["lone surrogates", "\ud800"],
    ["pairs of surrogates", "\u{1f600}"],
    ["quotation marks", '"'],
  ])("stays below its limit with the longest texts of %s", (_what, character) => {
    const text = character.repeat(1_000);
    const urls = Array.from({ length: 25 }, (_, at) => `https://a.example/${at}/`.padEnd(2_048, "x"));
    const findings = Array.from({ length: 300 }, (_, at) => finding(at % 2 === 0 ? urls : [], `security.plugin.code-${at}`));
    const site = { ...eventSite, name: text, client: text, url: urls[0] ?? "", tags: Array.from({ length: 40 }, () => text) };
    const body = webhookBody(opened(findings, { site }), { publicUrl: `https://${"a".repeat(250)}.example` });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(webhookBodyBytesMax);
    const { data } = JSON.parse(body);
    expect([data.findingCount, data.truncated, faultsOf("finding.opened", JSON.parse(body))]).toEqual([300, true, null]);
    const tagLengths = data.site.tags.map((tag: string) => tag.length);
    expect(tagLengths).toHaveLength(20);
    expect(Math.max(...tagLengths)).toBeLessThanOrEqual(40);
    expect(data.findings.length).toBeGreaterThan(20);
  });

  test("keeps its size for scans with the longest URL", () => {
    const event: NewEvent = {
      type: "scan.finished",
      token: "t".repeat(22),
      data: {
        ...{ token: "t".repeat(22), id: 1, url: "https://a.example/".padEnd(10_000, "x"), status: "finished", errorCode: null },
        ...{ score: 1, band: "poor", rank: "bad" },
      },
    };
    expect(Buffer.byteLength(webhookBody(storedEvent(event, { site: null }), links))).toBeLessThan(webhookBodyBytesMax);
  });
});
