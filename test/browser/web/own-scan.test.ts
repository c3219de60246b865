/** Scan of the own pages behind a TLS proxy: no finding that pages can fix, and 100 points are reachable. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/evidence/evidence.ts";
import type { FullReport } from "../../../src/text/render.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { siteIdentity } from "../../support/certificates.ts";
import type { Zones } from "../../support/dns-server.ts";
import { landmarkKeys } from "../../support/finished-scans.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { startTlsFront } from "./tls-front.ts";

/** Checks that every page must pass: headers, CSP, content and product names. */
const ofEveryPage = [
  ...["content-security-policy", "csp-insecure-sources", "csp-object-src", "csp-script-eval", "csp-script-inline"],
  ...["csp-script-sources", "csp-style-inline", "csp-syntax", "content-type-charset", "mixed-content"],
  ...["cross-origin-opener-policy", "cross-origin-resource-policy", "permissions-policy", "referrer-policy", "x-content-type-options"],
  ...["x-frame-options", "x-xss-protection", "deprecated-headers", "information-disclosure", "redirect-chain-secure"],
  ...["strict-transport-security", "hsts-effective", "hsts-include-subdomains", "https-available", "https-redirect"],
  ...["security-txt", "security-txt-valid"],
];
/** Public name, so that security.txt, DNS and mail are judged too. */
const host = "assay-own-pages.org";
/** Duties of the operator: DNSSEC, CAA, a null MX, IPv6, and name servers in two networks. */
const zones: Zones = {
  [host]: {
    A: ["127.0.0.1"],
    AAAA: ["2001:db8::80"],
    NS: [`ns.${host}`, `ns2.${host}`],
    SOA: { authentic: [{ mname: `ns.${host}`, rname: `hostmaster.${host}`, serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }] },
    CAA: [{ flags: 0, tag: "issue", value: "authority.example" }],
    TXT: ["v=spf1 -all"],
    MX: [{ preference: 0, exchange: "." }],
  },
  [`ns.${host}`]: { A: ["127.0.0.1"], AAAA: ["2001:db8:0:53::1"] },
  [`ns2.${host}`]: { A: ["127.99.0.1"], AAAA: ["2001:db8:99:53::1"] },
  [`_dmarc.${host}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:dmarc@${host}`] },
};
const scanMsMax = 300_000;

let appliance: Appliance;
let customer: ApiClient;
let front: TestServer;
let plain: TestServer;

beforeAll(async () => {
  front = await startTlsFront(siteIdentity(host), () => appliance.origin);
  plain = await startHttp({
    "*": (request, response) => void response.writeHead(301, { location: `https://${host}${request.url}` }).end(),
  });
  appliance = await startAppliance({
    sites: { [`${host}:443`]: front, [`${host}:80`]: plain },
    args: ["--trusted-proxy", "127.0.0.1", "--public-url", `https://${host}`],
    zones,
    env: { ASSAY_SECURITY_CONTACT: `security@${host}`, ASSAY_SECURITY_HSTS: "max-age=63072000; includeSubDomains; preload" },
  });
  customer = await appliance.customer();
}, scanMsMax);

afterAll(async () => {
  await appliance.stop();
  await front.stop();
  await plain.stop();
});

interface OwnScan {
  readonly token: string;
  readonly status: number | null;
  readonly score: number | null;
  /** Violated rows of checks that are newer than the landmarks. */
  readonly newlyViolated: readonly string[];
  keysIn(state: string): readonly string[];
  /** Rows that were not checked, with their reasons. */
  readonly notChecked: readonly string[];
}

async function scanOf(path: string): Promise<OwnScan> {
  const token = (await customer.start(`https://${host}${path}`)) ?? "";
  await customer.ended(token, scanMsMax);
  const { body } = await customer.get<FullReport<Evidence, unknown>>(`/api/v1/scans/${token}`);
  const navigation = body.evidence?.navigation;
  const keysIn = (state: string) => (body.security?.checks ?? []).filter((row) => row.state === state).map(({ key }) => key);
  return {
    token,
    status: navigation?.status === "read" ? navigation.facts.finalStatus : null,
    notChecked: (body.notChecked ?? []).map(({ key, because }) => `${key}: ${because} ${plainWay(body.evidence)}`),
    score: body.security?.score ?? null,
    newlyViolated: keysIn("violated").filter((key) => !landmarkKeys.includes(key)),
    keysIn: (state) => keysIn(state).filter((key) => landmarkKeys.includes(key)),
  };
}

/** Redirects from port 80, to explain a row that was not checked. */
function plainWay(evidence: Evidence | null): string {
  const plain = evidence?.plainHttp;
  if (plain === undefined) return "";
  return plain.status === "failed" ? plain.because : `${plain.facts.outcome} ${plain.facts.stoppedBecause}`;
}

describe("assay's scan of its own pages", () => {
  test.each(["/", "/scans", "/checks", "/checks/csp-syntax", "/sign-in", "/api", "/about", "/plans", "/sample"])(
    "of %s finds nothing on a fully configured server",
    async (path) => {
      const { status, score, keysIn, newlyViolated, notChecked } = await scanOf(path);
      expect(status).toBe(200);
      expect(notChecked).toEqual([]);
      expect(ofEveryPage.filter((key) => !keysIn("passed").includes(key))).toEqual([]);
      expect(keysIn("violated")).toEqual([]);
      if (newlyViolated.length === 0) expect(score).toBe(100);
    },
    scanMsMax,
  );

  test(
    "of a page with cookies and a form passes what is asked of those, and a report passes as well",
    async () => {
      // The choice of a language sets a cookie.
      const { token, keysIn } = await scanOf("/?locale=en-gb");
      expect(["cookie-secure", "cookie-prefix", "csp-form-action"].filter((key) => !keysIn("passed").includes(key))).toEqual([]);
      const report = await scanOf(`/scans/${token}`);
      expect(ofEveryPage.filter((key) => !report.keysIn("passed").includes(key))).toEqual([]);
      if (report.newlyViolated.length === 0) expect(report.score).toBe(100);
    },
    scanMsMax,
  );
});
