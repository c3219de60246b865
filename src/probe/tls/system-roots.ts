/** Reads root certificates that the operating system trusts in addition to the bundled ones. */
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { certificatesIn } from "./trust.ts";

/** Files with all roots by distribution; the first existing one is used. */
const bundleFiles: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Arch, Gentoo
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, Red Hat
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem", // openSUSE
  "/etc/ssl/cert.pem", // Alpine, the BSDs
];
/** Enough for thousands of roots. Larger files are ignored. */
const bundleBytesMax = 16 * 1024 ** 2;

/** `sslCertFile` (SSL_CERT_FILE) replaces the default files, as in OpenSSL. An unreadable file counts as empty. */
export function systemRoots(sslCertFile: string | undefined): readonly string[] {
  const text = systemRootsFile(sslCertFile)?.text ?? "";
  const bundled = new Set(rootCertificates.map(fingerprint));
  return certificatesIn(text).filter((pem) => !bundled.has(fingerprint(pem)));
}

/** The file that `systemRoots` reads; null if none can be read. */
export function systemRootsFile(sslCertFile: string | undefined): { readonly file: string; readonly text: string } | null {
  for (const file of sslCertFile === undefined || sslCertFile === "" ? bundleFiles : [sslCertFile]) {
    try {
      if (statSync(file).size <= bundleBytesMax) return { file, text: readFileSync(file, "latin1") };
    } catch {}
  }
  return null;
}

function fingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}
