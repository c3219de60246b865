/** Client of a request, as counted by throttles and stored with sessions. */
import { truncatedAddress } from "../parse/address.ts";
import type { SessionOrigin } from "../store/sessions.ts";

export interface Caller {
  /** Client address as counted by rate limits: for IPv6 a network. */
  readonly address: string;
  readonly userAgent: string;
}

/** Stored with a session. Truncated for privacy; its owner still recognises it. */
export function originOf(caller: Caller): SessionOrigin {
  return { userAgent: caller.userAgent, address: networkPrefixOf(caller) };
}

/** Network that one customer usually has: the IPv6 prefix or the IPv4 address. */
export function networkOf(caller: Caller): string {
  return caller.address.includes(":") ? networkPrefixOf(caller) : caller.address;
}

/** Network that one customer may have: 65,536 counted IPv6 networks, or a few IPv4 addresses. */
export function networkPrefixOf({ address }: Caller): string {
  return truncatedAddress(address);
}
