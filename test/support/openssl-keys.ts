/** Keys of types that the runtime cannot generate. Needs `openssl` on the path. */
import { execFileSync } from "node:child_process";

export interface OpensslKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKeyInfo: Buffer;
  readonly privateKeyPem: string;
}

/** `args` of `openssl genpkey`, for example `["-algorithm", "ED448"]`. */
export function opensslKey(args: readonly string[]): OpensslKey {
  const privateKeyPem = openssl(["genpkey", ...args]).toString();
  return { publicKeyInfo: openssl(["pkey", "-pubout", "-outform", "DER"], privateKeyPem), privateKeyPem };
}

/** DSA keys need parameters, whose generation is slow. */
export function opensslDsaKey(): OpensslKey {
  const parameters = openssl(["genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:1024"]).toString();
  const privateKeyPem = openssl(["genpkey", "-paramfile", "/dev/stdin"], parameters).toString();
  return { publicKeyInfo: openssl(["pkey", "-pubout", "-outform", "DER"], privateKeyPem), privateKeyPem };
}

function openssl(args: readonly string[], input = ""): Buffer {
  return execFileSync("openssl", [...args], { input, stdio: ["pipe", "pipe", "ignore"] });
}
