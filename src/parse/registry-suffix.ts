/** Tells the names under which a registry sells domains to anybody, such as `com` and `co.uk`. */
import { parse } from "tldts";

/** By the ICANN section of the public suffix list; an unknown last label such as `corp` is none. */
export function isRegistrySuffix(name: string): boolean {
  const { isIcann, publicSuffix, hostname } = parse(name);
  return isIcann === true && publicSuffix === hostname;
}
