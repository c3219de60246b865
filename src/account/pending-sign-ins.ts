/** Sign-ins between first and second factor: in memory, short-lived, and no session yet. */
import { randomBytes } from "node:crypto";
import type { LinkedSignIn } from "../store/oidc-links.ts";
import { type Caller, networkOf } from "./caller.ts";

const pendingMs = 10 * 60_000;
/** Wrong codes until the sign-in starts over. */
const wrongCodesMax = 5;
/** Per account and client address (IPv6: /64). Beyond this the oldest of both is dropped, so no other address can drop it. */
const pendingOfAddressMax = 5;
/** In all, about 1 MB. Each costs a password hash or a sign-in at the provider, so an attacker needs minutes and as many networks. */
const pendingMax = 2_000;

interface PendingSignIn {
  readonly accountId: number;
  /** The account's hash at the first factor; it may change before the code arrives. Null without a password. */
  readonly passwordHash: string | null;
  /** Linked to the account with the second factor; null for a sign-in that links nothing. */
  readonly link: LinkedSignIn | null;
  readonly address: string;
  readonly network: string;
  readonly expiresAtMs: number;
  readonly wrongCodes: number;
}

type Entry = readonly [challenge: string, PendingSignIn];

export function createPendingSignIns(nowMs: () => number) {
  const pending = new Map<string, PendingSignIn>();
  /** Undefined if unknown, expired, or answered wrongly too often. */
  const find = (challenge: string): PendingSignIn | undefined => {
    const found = pending.get(challenge);
    return found !== undefined && nowMs() < found.expiresAtMs && found.wrongCodes < wrongCodesMax ? found : undefined;
  };

  function makeRoom(accountId: number, address: string): void {
    for (const challenge of pending.keys()) if (find(challenge) === undefined) pending.delete(challenge);
    const own = [...pending].filter(([, each]) => each.accountId === accountId && each.address === address);
    for (const [challenge] of own.slice(0, Math.max(0, own.length - pendingOfAddressMax + 1))) pending.delete(challenge);
    if (pending.size < pendingMax) return;
    // The largest holder loses an entry: an attacker drops own ones before those of another account or network.
    const ofAccount = largestGroup([...pending], (each) => each.accountId);
    const [oldest] = largestGroup(ofAccount, (each) => each.network);
    if (oldest !== undefined) pending.delete(oldest[0]);
  }

  return {
    /** Returns a challenge that represents the verified first factor. */
    begin: ({ accountId, passwordHash, link }: Pick<PendingSignIn, "accountId" | "passwordHash" | "link">, caller: Caller): string => {
      const { address } = caller;
      makeRoom(accountId, address);
      const challenge = randomBytes(32).toString("base64url");
      const network = networkOf(caller);
      pending.set(challenge, { accountId, passwordHash, link, address, network, expiresAtMs: nowMs() + pendingMs, wrongCodes: 0 });
      return challenge;
    },
    find,
    recordWrongCode: (challenge: string): void => {
      const found = pending.get(challenge);
      if (found !== undefined) pending.set(challenge, { ...found, wrongCodes: found.wrongCodes + 1 });
    },
    end: (challenge: string): void => void pending.delete(challenge),
  };
}

/** Of groups of equal size, the one that began first. Keeps the order. */
function largestGroup(entries: readonly Entry[], keyOf: (each: PendingSignIn) => string | number): readonly Entry[] {
  const groups = Map.groupBy(entries, ([, each]) => keyOf(each));
  return [...groups.values()].reduce<readonly Entry[]>((best, group) => (group.length > best.length ? group : best), []);
}
