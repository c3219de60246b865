/** Networks of watched sites, so that first runs after an import do not flood the server that all of them share. */
import { type Clock, within } from "../base/clock.ts";
import { createLruCache } from "../base/lru-cache.ts";
import { hourMs, minuteMs } from "../base/units.ts";
import { truncatedAddress } from "../parse/address.ts";

/** Lookups under way at a time. */
const lookupsMax = 16;
/** Longest wait for a lookup: a silent resolver must not hold up a run. */
const lookupMsMax = 3_000;
/** Hosts whose networks are remembered. */
const hostsMax = 5_000;
/** Sites that move keep their former network for as long. */
const keptMs = hourMs;
/** A host without an address is asked for again after this time. */
const unresolvedKeptMs = minuteMs;

export interface SiteNetworksOptions {
  /** Addresses of a host as written in URLs, the first one first. May reject. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Called after each lookup. */
  readonly onKnown: () => void;
  readonly clock: Clock;
}

export interface SiteNetworks {
  /**
   * IPv4 /24 or IPv6 /48 of the first address of the URL's host; the host itself if it has none here, as one of a remote location may.
   * Undefined until it is known: the call has begun a lookup, or a later one will.
   */
  of(url: string): string | undefined;
  /** The same without a lookup. */
  known(url: string): string | undefined;
}

export function createSiteNetworks({ resolve, onKnown, clock }: SiteNetworksOptions): SiteNetworks {
  const known = createLruCache<{ readonly network: string; readonly untilMs: number }>(hostsMax);
  const pending = new Set<string>();

  async function lookUp(host: string): Promise<void> {
    // A failure says nothing of the site: its scan will.
    const [address] = await within(clock, lookupMsMax, resolve(host), []).catch(() => []);
    const ms = address === undefined ? unresolvedKeptMs : keptMs;
    known.set(host, { network: address === undefined ? host : truncatedAddress(address), untilMs: clock.monotonicMs() + ms });
    pending.delete(host);
    onKnown();
  }

  function knownOf(url: string): string | undefined {
    const found = known.get(new URL(url).hostname);
    return found !== undefined && found.untilMs > clock.monotonicMs() ? found.network : undefined;
  }

  return {
    of: (url) => {
      const network = knownOf(url);
      const host = new URL(url).hostname;
      if (network === undefined && !pending.has(host) && pending.size < lookupsMax) {
        pending.add(host);
        void lookUp(host);
      }
      return network;
    },
    known: knownOf,
  };
}
