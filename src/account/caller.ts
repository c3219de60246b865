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
export function originOf({ address, userAgent }: Caller): SessionOrigin {
  return { userAgent, address: truncatedAddress(address) };
}
