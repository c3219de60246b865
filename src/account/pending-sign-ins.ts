/** Sign-ins between password and second factor: in memory, short-lived, and no session yet. */
import { randomBytes } from "node:crypto";

const pendingMs = 10 * 60_000;
/** Wrong codes until the sign-in starts over. */
const wrongCodesMax = 5;
/** Per account; beyond this the oldest of the same account is dropped. */
const pendingOfAccountMax = 5;

interface PendingSignIn {
  readonly accountId: number;
  /** Hash that the password matched; it may change before the code arrives. */
  readonly passwordHash: string;
  readonly expiresAtMs: number;
  readonly wrongCodes: number;
}

export function createPendingSignIns(nowMs: () => number) {
  const pending = new Map<string, PendingSignIn>();
  /** Undefined if unknown, expired, or answered wrongly too often. */
  const find = (challenge: string): PendingSignIn | undefined => {
    const found = pending.get(challenge);
    return found !== undefined && nowMs() < found.expiresAtMs && found.wrongCodes < wrongCodesMax ? found : undefined;
  };
  return {
    /** Returns a challenge that represents the verified password. */
    begin: (verified: Pick<PendingSignIn, "accountId" | "passwordHash">): string => {
      for (const challenge of pending.keys()) if (find(challenge) === undefined) pending.delete(challenge);
      const own = [...pending].filter(([, { accountId }]) => accountId === verified.accountId);
      for (const [challenge] of own.slice(0, Math.max(0, own.length - pendingOfAccountMax + 1))) pending.delete(challenge);
      const challenge = randomBytes(32).toString("base64url");
      pending.set(challenge, { ...verified, expiresAtMs: nowMs() + pendingMs, wrongCodes: 0 });
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
