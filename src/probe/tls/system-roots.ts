/** Reads the roots that the machine trusts beyond the bundled ones: what its operator, or its distribution, has added. */
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { certificatesIn } from "./trust.ts";

/** Where distributions keep all roots in one file; the first that exists is the one. */
const bundleFiles: readonly string[] = [
  // Debian, Ubuntu, Arch, Gentoo.
  "/etc/ssl/certs/ca-certificates.crt",
  // Fedora, Red Hat.
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
  // openSUSE.
  "/etc/ssl/ca-bundle.pem",
  // Alpine, the BSDs.
  "/etc/ssl/cert.pem",
];
/** Some thousands of roots; a file beyond that is none. */
const bundleBytesMax = 16 * 1024 ** 2;

/**
 * One PEM text for each. `namedFile` is what SSL_CERT_FILE says: as with OpenSSL, it takes the place of the usual files. A file
 * that cannot be read holds no roots.
 */
export function systemRoots(namedFile: string | undefined): readonly string[] {
  const text = firstReadable(namedFile === undefined || namedFile === "" ? bundleFiles : [namedFile]);
  const bundled = new Set(rootCertificates.map(fingerprint));
  return certificatesIn(text).filter((pem) => !bundled.has(fingerprint(pem)));
}

function firstReadable(files: readonly string[]): string {
  for (const file of files) {
    try {
      if (statSync(file).size <= bundleBytesMax) return readFileSync(file, "latin1");
    } catch {
      // The next one, then.
    }
  }
  return "";
}

function fingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}
