/** Sign-ins between password and second factor: in memory, short-lived, and never to be taken for a session. */
import { randomBytes } from "node:crypto";

const pendingMs = 10 * 60_000;
/** Wrong codes until the password is asked for again. */
const wrongCodesMax = 5;
/** At once, of one account: whoever begins more than this gives up the first, and nobody else's. */
const pendingOfAccountMax = 5;

interface PendingSignIn {
  readonly accountId: number;
  /** The hash that the password matched: it may change until the code comes. */
  readonly passwordHash: string;
  readonly expiresAtMs: number;
  readonly wrongCodes: number;
}

export interface PendingSignIns {
  /** A value that stands for the proved password until the code comes. */
  begin(proved: Pick<PendingSignIn, "accountId" | "passwordHash">): string;
  /** Undefined when it is unknown, too old, or was answered wrongly too often. */
  find(challenge: string): PendingSignIn | undefined;
  noteWrongCode(challenge: string): void;
  end(challenge: string): void;
}

export function createPendingSignIns(nowMs: () => number): PendingSignIns {
  const pending = new Map<string, PendingSignIn>();
  const find: PendingSignIns["find"] = (challenge) => {
    const found = pending.get(challenge);
    return found !== undefined && nowMs() < found.expiresAtMs && found.wrongCodes < wrongCodesMax ? found : undefined;
  };
  return {
    begin: (proved) => {
      for (const challenge of pending.keys()) if (find(challenge) === undefined) pending.delete(challenge);
      const own = [...pending].filter(([, { accountId }]) => accountId === proved.accountId);
      for (const [challenge] of own.slice(0, Math.max(0, own.length - pendingOfAccountMax + 1))) pending.delete(challenge);
      const challenge = randomBytes(32).toString("base64url");
      pending.set(challenge, { ...proved, expiresAtMs: nowMs() + pendingMs, wrongCodes: 0 });
      return challenge;
    },
    find,
    noteWrongCode: (challenge) => {
      const found = pending.get(challenge);
      if (found !== undefined) pending.set(challenge, { ...found, wrongCodes: found.wrongCodes + 1 });
    },
    end: (challenge) => void pending.delete(challenge),
  };
}
