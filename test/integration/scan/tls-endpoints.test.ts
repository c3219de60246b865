/** The TLS probes of a scan run once for each endpoint, and ask for offers only if TLS was read. */

import { afterEach, describe, expect, test } from "vitest";
import { openEgress } from "../../../src/egress/dial.ts";
import { failed, type Reading, read } from "../../../src/evidence/evidence.ts";
import { openTlsEndpoints, tlsEndpointOf, withoutCertificateOf } from "../../../src/scan/gather.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { cleanUp, onCleanUp } from "../../support/clean-up.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { egressTo } from "../../support/servers.ts";
import { serveTls } from "../../support/tls-probe.ts";

afterEach(cleanUp);

async function openEndpoints() {
  const site = await serveTls(siteIdentity("site.test"), { ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" });
  const egress = openEgress(egressTo({ "site.test:443": site, "closed.test:443": { port: portWithoutListener() } }));
  onCleanUp(() => egress.close());
  const ran: string[] = [];
  const run = <F>(name: string, probe: (signal: AbortSignal) => Promise<Reading<F>>) => {
    ran.push(name);
    return probe(AbortSignal.timeout(60_000));
  };
  return { ran, ...openTlsEndpoints(run, { egress, caPems: [testAuthority().root.pem] }) };
}

const site = { host: "site.test", port: 443 };

test("each endpoint is probed once", async () => {
  const { ran, tls, offers } = await openEndpoints();
  const [first, second, reading] = await Promise.all([offers(site), offers({ ...site }), tls(site)]);
  expect(ran).toEqual(["tls", "tlsOffers"]);
  expect(first).toBe(second);
  expect(first).toMatchObject({ status: "read", facts: { host: "site.test", port: 443 } });
  expect(reading).toMatchObject({ status: "read" });
});

test("an endpoint without TLS is not asked for offers", async () => {
  const { ran, tls, offers } = await openEndpoints();
  const closed = { host: "closed.test", port: 443 };
  expect(await offers(closed)).toEqual({ status: "failed", because: "not-asked" });
  expect(await tls(closed)).toEqual({ status: "failed", because: "refused" });
  expect(ran).toEqual(["tls"]);
});

test("without an endpoint nothing runs", async () => {
  const { ran, tls, offers } = await openEndpoints();
  expect(await Promise.all([tls(null), offers(null)])).toEqual(Array(2).fill({ status: "failed", because: "not-asked" }));
  expect(ran).toEqual([]);
});

describe("the endpoint of a URL", () => {
  test.each([
    ["https://site.test/a", { host: "site.test", port: 443 }],
    ["https://site.test:8443/", { host: "site.test", port: 8_443 }],
    ["http://site.test/", { host: "site.test", port: 443 }],
    ["http://site.test:8080/", null],
    ["nonsense", null],
  ])("%s", (url, endpoint) => expect(tlsEndpointOf(url)).toEqual(endpoint));
});

describe("the certificate of the TLS reading, on the way to security.txt", () => {
  const hops = (...urls: string[]) => urls.map((url) => ({ url, certificate: url.startsWith("https:") ? ("refused" as const) : null }));
  const urls = ["https://site.test/", "https://SITE.test.:443/a", "https://site.test:8443/", "https://other.test/", "http://site.test/"];
  const attempt = { url: "https://site.test/", finalUrl: "", status: 200, contentType: null, body: "", truncated: false };
  const facts = { attempts: [{ ...attempt, hops: hops(...urls) }, attempt] };
  const certificatesBeside = (tls: NonNullable<EvidenceGiven["tls"]>, finalUrl: string | null = null) => {
    const after = withoutCertificateOf(evidence({ tls }).tls, read(facts), finalUrl);
    return after.status === "read" ? after.facts.attempts.map((one) => one.hops?.map(({ certificate }) => certificate)) : null;
  };

  test("is left to that reading", () => {
    expect(certificatesBeside(site)).toEqual([[null, null, "refused", "refused", null], undefined]);
    expect(certificatesBeside({ host: "site.test", port: 8_443 })).toEqual([["refused", "refused", null, "refused", null], undefined]);
    expect(certificatesBeside(site, "https://site.test/")).toEqual(certificatesBeside(site));
  });

  test("stays without such a reading, and beside a page over plain http", () => {
    expect(certificatesBeside(site, "http://site.test/")).toEqual([["refused", "refused", "refused", "refused", null], undefined]);
    expect(certificatesBeside("timeout")).toEqual([["refused", "refused", "refused", "refused", null], undefined]);
    expect(withoutCertificateOf(evidence({}).tls, failed("timeout"), null)).toEqual(failed("timeout"));
  });
});
