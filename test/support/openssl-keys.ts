/** Keys of kinds that the runtime cannot make, made by OpenSSL. Needs `openssl` on the path. */
import { execFileSync } from "node:child_process";

export interface OpensslKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKeyInfo: Buffer;
  readonly privateKeyPem: string;
}

/** Arguments as `openssl genpkey` takes them, for example `["-algorithm", "ED448"]`. */
export function opensslKey(args: readonly string[]): OpensslKey {
  const privateKeyPem = openssl(["genpkey", ...args]).toString();
  return { publicKeyInfo: openssl(["pkey", "-pubout", "-outform", "DER"], privateKeyPem), privateKeyPem };
}

/** DSA takes parameters before keys; making them takes longest. */
export function opensslDsaKey(): OpensslKey {
  const parameters = openssl(["genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:1024"]).toString();
  const privateKeyPem = openssl(["genpkey", "-paramfile", "/dev/stdin"], parameters).toString();
  return { publicKeyInfo: openssl(["pkey", "-pubout", "-outform", "DER"], privateKeyPem), privateKeyPem };
}

function openssl(args: readonly string[], input = ""): Buffer {
  return execFileSync("openssl", [...args], { input, stdio: ["pipe", "pipe", "ignore"] });
}
