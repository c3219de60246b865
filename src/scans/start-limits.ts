/** How many scans and proofs may be started in an hour. Pages and API count by the same object. */
import { type Counted, createRateLimit } from "../base/rate-limit.ts";
import { hourMs } from "../base/units.ts";
import { truncatedAddress } from "../parse/address.ts";
import { hostOf } from "../parse/site.ts";
import type { Config } from "../settings/settings.ts";
import type { RecordOwner } from "../store/accounts.ts";

/** Scans of an account, apart from those by the API. Far above manual use. */
export const scansOfAccountPerHourMax = 300;
/** Scans that one page of a proof counts as: it is visited some eight times. */
export const scansOfProvenPage = 8;
/** Addresses of one network that may use up the guest limit: one IPv6 customer may have 65,536. */
const guestsPerNetworkMax = 5;
/** Limit for a guest's address, and for a host that guests prove. */
const guestProofsPerHourMax = 1;

function provenHost([url = ""]: readonly string[]): string {
  return hostOf(url) ?? "";
}

export interface Starter {
  /** Null for guests. */
  readonly account: RecordOwner | null;
  /** Client address for rate limits; null for callers of the API, who have an account. */
  readonly address: string | null;
}

export type StartLimits = ReturnType<typeof createStartLimits>;

/** Each function counts what is about to be started; what exceeds a limit is refused, and not counted. */
export function createStartLimits(config: Pick<Config, "guest.rate_per_hour">, now: () => Date) {
  const perHour = (requestsMax: number) => createRateLimit({ requestsMax, windowSeconds: hourMs / 1_000 }, () => now().getTime());
  const countAccount = perHour(scansOfAccountPerHourMax);
  const countAddress = perHour(config["guest.rate_per_hour"]);
  const countNetwork = perHour(config["guest.rate_per_hour"] * guestsPerNetworkMax);
  const countProver = perHour(guestProofsPerHourMax);
  const countProvenHost = perHour(guestProofsPerHourMax);

  return {
    countScan: ({ account, address }: Starter): Counted => {
      if (account !== null) return countAccount(String(account.id));
      // The address first: a client over its own limit must not use up the limit of its network.
      const byAddress = countAddress(address ?? "");
      return byAddress.exceeded ? byAddress : countNetwork(truncatedAddress(address ?? ""));
    },
    /** `urls`: pages of one host. */
    countProof: ({ account, address }: Starter, urls: readonly string[]): Counted => {
      if (account !== null) return countAccount(String(account.id), urls.length * scansOfProvenPage);
      const byAddress = countProver(address ?? "");
      if (byAddress.exceeded) return byAddress;
      const byHost = countProvenHost(provenHost(urls));
      // The guest may prove another host.
      if (byHost.exceeded) countProver(address ?? "", -1);
      return byHost;
    },
    /** Takes back what `countProof` counted for a proof that could not be started. */
    uncountProof: ({ account, address }: Starter, urls: readonly string[]): void => {
      if (account !== null) {
        countAccount(String(account.id), -urls.length * scansOfProvenPage);
        return;
      }
      countProver(address ?? "", -1);
      countProvenHost(provenHost(urls), -1);
    },
  };
}
