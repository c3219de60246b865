/** Who asks to be let in, as far as it is counted and remembered. */
import { truncatedAddress } from "../parse/address.ts";
import type { SessionOrigin } from "../store/sessions.ts";

export interface Caller {
  /** The calling address, as requests are counted by it. */
  readonly address: string;
  /** The User-Agent header, or nothing. */
  readonly userAgent: string;
}

/** What a session remembers of it: enough for its owner to know it again, not enough to find anybody. */
export function originOf(caller: Caller): SessionOrigin {
  return { userAgent: caller.userAgent, address: neighbourhoodOf(caller) };
}

/** What one customer has whole, as a rule: of IPv6 the neighbourhood, of IPv4 the address. */
export function networkOf(caller: Caller): string {
  return caller.address.includes(":") ? neighbourhoodOf(caller) : caller.address;
}

/** What one customer may have whole: 65,536 of the IPv6 networks that requests are counted by, or some addresses of IPv4. */
export function neighbourhoodOf({ address }: Caller): string {
  return truncatedAddress(address);
}
