/** Credentials of a user leave only for a server that proves its name with a valid, trusted certificate. */
import { describe, expect, test } from "vitest";
import type { TargetCredentials } from "../../../src/egress/credentials.ts";
import { failed, type Reading, read } from "../../../src/evidence/evidence.ts";
import type { TlsFacts } from "../../../src/evidence/tls-facts.ts";
import { refusalOf, verifiedCredentials } from "../../../src/scan/gather.ts";
import { evidence } from "../../support/evidence.ts";

const credentials: TargetCredentials = { origin: "https://site.example", headers: [], cookies: [] };
const [from, to] = ["2026-01-01T00:00:00Z", "2026-03-31T23:59:59Z"];

function tls(given: Partial<TlsFacts> = {}): Reading<TlsFacts> {
  const reading = evidence().tls;
  if (reading.status !== "read") throw new Error("the evidence has no TLS");
  const [leaf] = reading.facts.chain;
  if (leaf === undefined) throw new Error("the evidence has no certificate");
  const sound = { trusted: true, trustedBy: "public", hostMatches: true, chain: [{ ...leaf, validFrom: from, validTo: to }] } as const;
  return read({ ...reading.facts, ...sound, ...given });
}

const during = "2026-02-01T00:00:00Z";

describe("credentials leave", () => {
  test.each([
    ["during the validity", during],
    ["in its first moment", from],
    ["in its last moment", to],
  ])("%s", (_words, now) => {
    expect(verifiedCredentials(credentials, tls(), now)).toEqual({ ...credentials, browserVerifies: true });
  });

  test("for a root of the operator, which the browser does not know", () => {
    expect(verifiedCredentials(credentials, tls({ trustedBy: "operator" }), during)).toEqual({ ...credentials, browserVerifies: false });
  });
});

describe("credentials stay", () => {
  test.each<[string, Reading<TlsFacts>, string]>([
    ["before the validity", tls(), "2025-12-31T23:59:59Z"],
    ["after the validity", tls(), "2026-04-01T00:00:00Z"],
    ["without trust", tls({ trusted: false, trustedBy: null }), during],
    ["for another host", tls({ hostMatches: false }), during],
    ["without a certificate", tls({ chain: [] }), during],
  ])("%s", (_words, reading, now) => expect(verifiedCredentials(credentials, reading, now)).toBe("tls"));

  test("for the reason why there is no TLS", () => {
    expect(verifiedCredentials(credentials, failed("refused"), during)).toBe("refused");
    expect(refusalOf(credentials, "refused")).toContain("its TLS was not read (refused)");
    expect(refusalOf(credentials, "tls")).toContain("its certificate is not valid");
  });
});
