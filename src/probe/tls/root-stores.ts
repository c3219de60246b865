/** Which roots are trusted, and how new they are. */
import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { systemRootsFile } from "./system-roots.ts";
import { certificatesIn } from "./trust.ts";

export interface RootStore {
  readonly certificates: number;
  /** Day on which the newest certificate was issued, `YYYY-MM-DD`: the store is no older. Null without certificates. */
  readonly newest: string | null;
}

/** Mozilla's roots, as the runtime carries them. */
export function bundledRootStore(): RootStore {
  return rootStoreOf(rootCertificates);
}

/** Roots of this machine; null if there is no readable file. Parameter as for `systemRoots`. */
export function systemRootStore(sslCertFile: string | undefined): (RootStore & { readonly file: string }) | null {
  const found = systemRootsFile(sslCertFile);
  return found === null ? null : { file: found.file, ...rootStoreOf(certificatesIn(found.text)) };
}

/** Certificates of a PEM text. */
export function rootStoreIn(pem: string): RootStore {
  return rootStoreOf(certificatesIn(pem));
}

function rootStoreOf(pems: readonly string[]): RootStore {
  const issued = pems.map((pem) => Date.parse(new X509Certificate(pem).validFrom)).filter(Number.isFinite);
  return { certificates: pems.length, newest: issued.length === 0 ? null : new Date(Math.max(...issued)).toISOString().slice(0, 10) };
}
