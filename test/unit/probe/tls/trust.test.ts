/**
 * Choice among several paths to a root by their dates, and what `openssl verify` says about the same certificates. Roots of the
 * operating system: SSL_CERT_FILE, the difference to the bundled roots, and unreadable files.
 */
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, describe, expect, test } from "vitest";
import { dayMs } from "../../../../src/base/units.ts";
import { longestTrustPath, systemRoots, trustAnchors } from "../../../../src/probe/tls/trust.ts";
import {
  type CertificateOptions,
  type IssuedCertificate,
  selfSigned,
  testAuthority,
  untrustedAuthority,
} from "../../../support/certificates.ts";
import { opensslIsMissing } from "../../../support/openssl-server.ts";

const nowMs = Date.now();
const daysFromNow = (days: number) => new Date(nowMs + days * dayMs);
const period = (from: number, to: number) => ({ validFrom: daysFromNow(from), validTo: daysFromNow(to) });

const root = selfSigned({ commonName: "Root", authority: true, ...period(-100, 1_000) });
const oldRoot = selfSigned({ commonName: "Old root", authority: true, ...period(-1_000, -1) });
const issuing = (options: CertificateOptions, above = root) => above.issue({ commonName: "Issuing CA", authority: true, ...options });
const current = issuing(period(-100, 500));
const { privateKeyPem } = current;
/** Same name and key as `current`. */
const twin = (from: number, to: number, above = root) => issuing({ privateKeyPem, ...period(from, to) }, above);
const leaf = current.issue({ commonName: "site.test", names: ["site.test"] });

const x509 = ({ der }: IssuedCertificate) => new X509Certificate(der);

/** Ends of the issuers on the path, in days from now. */
function pathEnds(sent: readonly IssuedCertificate[], roots: readonly IssuedCertificate[] = [root]): readonly number[] | null {
  const { all } = trustAnchors(roots.map(({ pem }) => pem));
  const path = longestTrustPath([x509(leaf), ...sent.map(x509)], all, nowMs);
  return path === null ? null : path.map(({ validTo }) => Math.round((Date.parse(validTo) - nowMs) / dayMs));
}

/** Whether OpenSSL accepts the leaf. It looks for the path itself, as all certificates are given as untrusted ones. */
function opensslAccepts(sent: readonly IssuedCertificate[], roots: readonly IssuedCertificate[] = [root]): boolean {
  const folder = mkdtempSync(join(tmpdir(), "assay-verify-"));
  try {
    const write = (name: string, certificates: readonly IssuedCertificate[]) => {
      const file = join(folder, name);
      writeFileSync(file, certificates.map(({ pem }) => pem).join(""));
      return file;
    };
    const [anchors, chain, own] = [write("roots.pem", roots), write("chain.pem", sent), write("leaf.pem", [leaf])];
    const { exitCode } = Bun.spawnSync(["openssl", "verify", "-CAfile", anchors, "-untrusted", chain, own]);
    return exitCode === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the path that stays valid longest", () => {
  test.each<[string, IssuedCertificate[], number[]]>([
    ["the only one", [current], [500, 1_000]],
    ["an expired intermediate: the path explains the refusal", [twin(-100, -1)], [-1, 1_000]],
    ["an intermediate that is not valid yet", [twin(1, 500)], [500, 1_000]],
    ["an expired twin before the valid one", [twin(-100, -1), current], [500, 1_000]],
    ["an expired twin after the valid one", [current, twin(-100, -1)], [500, 1_000]],
    ["a twin that is not valid yet but ends later", [twin(1, 900), current], [500, 1_000]],
    ["two valid twins, of which the second ends later", [twin(-1, 10), current], [500, 1_000]],
    ["two expired twins: the one that ended last", [twin(-100, -50), twin(-100, -2)], [-2, 1_000]],
    ["certificates of no use, in any order", [root, twin(-100, -1), oldRoot, current], [500, 1_000]],
  ])("%s", (_words, sent, ends) => {
    expect(pathEnds(sent)).toEqual(ends);
  });

  test("a strong signature is preferred to a longer life, and a weak one is better than none", () => {
    const weakTwin = (options: CertificateOptions) => issuing({ privateKeyPem, ...options });
    for (const hash of ["sha1", "sha224"] as const) {
      const weak = weakTwin({ hash, ...period(-100, 900) });
      expect(pathEnds([weak, current])).toEqual([500, 1_000]);
      expect(pathEnds([current, weak])).toEqual([500, 1_000]);
      expect(pathEnds([weak])).toEqual([900, 1_000]);
      expect(pathEnds([weak], [weak])).toEqual([900]);
    }
  });

  test("two roots, of which one has expired", () => {
    const below = twin(-100, 700, oldRoot);
    expect(pathEnds([below], [oldRoot])).toEqual([700, -1]);
    expect(pathEnds([below, current], [oldRoot, root])).toEqual([500, 1_000]);
    expect(pathEnds([current, below], [oldRoot, root])).toEqual([500, 1_000]);
  });

  test("an intermediate that the operator trusts", () => {
    expect(pathEnds([current], [current])).toEqual([500]);
    expect(pathEnds([], [twin(-100, -1)])).toEqual([-1]);
  });

  test("no path, and a leaf that is trusted itself", () => {
    expect(pathEnds([])).toBeNull();
    expect(pathEnds([current], [oldRoot])).toBeNull();
    expect(pathEnds([current], [leaf])).toEqual([]);
  });

  test("authorities that issued certificates for each other", () => {
    const [one, other] = ["One", "Other"].map((commonName) => selfSigned({ commonName, authority: true, ...period(-10, 900) }));
    if (one === undefined || other === undefined) throw new Error("no authorities");
    const cross = (below: IssuedCertificate, above: IssuedCertificate, name: string, days: number) =>
      above.issue({ commonName: name, authority: true, privateKeyPem: below.privateKeyPem, ...period(-10, days) });
    const circle = [cross(one, other, "One", 300), cross(other, one, "Other", 200)];
    const below = cross(current, one, "Issuing CA", 400);
    expect(pathEnds([below, ...circle])).toBeNull();
    expect(pathEnds([below, ...circle], [other])).toEqual([400, 300, 900]);
    expect(pathEnds([below, ...circle, current], [other, root])).toEqual([500, 1_000]);
  });

  test("a dozen twins are searched at once", () => {
    const twins = Array.from({ length: 11 }, (_, at) => twin(-100, -1 - at));
    expect(pathEnds([...twins, current])).toEqual([500, 1_000]);
    expect(pathEnds(twins)).toEqual([-1, 1_000]);
  });
});

describe.skipIf(opensslIsMissing())("openssl verify agrees", () => {
  const isWithinDates = (sent: readonly IssuedCertificate[], roots: readonly IssuedCertificate[]) => {
    const { all } = trustAnchors(roots.map(({ pem }) => pem));
    const path = longestTrustPath([x509(leaf), ...sent.map(x509)], all, nowMs) ?? [];
    return path.length > 0 && path.every((issuer) => Date.parse(issuer.validFrom) <= nowMs && Date.parse(issuer.validTo) >= nowMs);
  };

  test.each<[string, IssuedCertificate[], IssuedCertificate[], boolean]>([
    ["a valid intermediate", [current], [root], true],
    ["an expired intermediate", [twin(-100, -1)], [root], false],
    ["an intermediate that is not valid yet", [twin(1, 500)], [root], false],
    ["an expired twin first", [twin(-100, -1), current], [root], true],
    ["an expired twin last", [current, twin(-100, -1)], [root], true],
    ["a root that has expired", [twin(-100, 700, oldRoot)], [oldRoot], false],
  ])("%s", (_words, sent, roots, accepted) => {
    expect(isWithinDates(sent, roots)).toBe(accepted);
    expect(opensslAccepts(sent, roots)).toBe(accepted);
  });
});

const folder = mkdtempSync(join(tmpdir(), "assay-roots-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const file = join(folder, "roots.pem");
  writeFileSync(file, text);
  return file;
}

test("the file of SSL_CERT_FILE adds roots that are not bundled", () => {
  const own = [testAuthority().root.pem, untrustedAuthority().root.pem];
  const found = systemRoots(fileOf(["# some words", ...rootCertificates.slice(0, 3), ...own].join("\n")));
  expect(found.map((pem) => pem.trim())).toEqual(own.map((pem) => pem.trim()));
});

test("without SSL_CERT_FILE, the default files are read, without the bundled roots", () => {
  for (const named of [undefined, ""]) {
    const found = systemRoots(named);
    expect(found.filter((pem) => rootCertificates.some((bundled) => bundled.trim() === pem.trim()))).toEqual([]);
  }
});

test("an absent, empty, damaged or oversized file has no roots", () => {
  expect(systemRoots(join(folder, "absent.pem"))).toEqual([]);
  expect(systemRoots(folder)).toEqual([]);
  expect(systemRoots(fileOf(""))).toEqual([]);
  expect(systemRoots(fileOf("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"))).toEqual([]);
  const oversized = fileOf(testAuthority().root.pem);
  truncateSync(oversized, 17 * 1024 ** 2);
  expect(systemRoots(oversized)).toEqual([]);
});
