/** Reads root certificates that the operating system trusts in addition to the bundled ones. */
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { certificatesIn } from "./trust.ts";

/** Files with all roots by distribution; the first existing one is used. */
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
/** Enough for thousands of roots. Larger files are ignored. */
const bundleBytesMax = 16 * 1024 ** 2;

/**
 * One PEM per root. `sslCertFile` is the value of SSL_CERT_FILE, which replaces the default files as in OpenSSL. An
 * unreadable file counts as empty.
 */
export function systemRoots(sslCertFile: string | undefined): readonly string[] {
  const text = firstReadable(sslCertFile === undefined || sslCertFile === "" ? bundleFiles : [sslCertFile]);
  const bundled = new Set(rootCertificates.map(fingerprint));
  return certificatesIn(text).filter((pem) => !bundled.has(fingerprint(pem)));
}

function firstReadable(files: readonly string[]): string {
  for (const file of files) {
    try {
      if (statSync(file).size <= bundleBytesMax) return readFileSync(file, "latin1");
    } catch {}
  }
  return "";
}

function fingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}
