/** Password rules, hashing and comparison. */
import { type Caller, networkPrefixOf } from "./caller.ts";
import { createKeyedSemaphore } from "./keyed-semaphore.ts";
import { isLeakedPassword } from "./leaked-passwords.ts";

export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}

/** OWASP's second recommendation for argon2id: about 25 ms on one core. */
export const owaspPasswordCost: PasswordCost = { memoryKib: 19_456, passes: 2 };
/** Each hash takes 19 MiB and a core. A full queue is served within half a second and has space for four networks. */
const hashingLimits = { concurrencyMax: 2, queueMax: 40, queuePerKeyMax: 10 };
/** Semaphore key of the command line. */
const commandLineKey = "";
/** Far above real passwords; bounds the work of hashing. */
export const passwordCharsMax = 256;

export type PasswordFault = "too-short" | "too-long" | "common" | "is-email";

export interface PasswordsSettings {
  readonly charsMin: number;
  readonly cost?: PasswordCost;
}

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords({ charsMin, cost = owaspPasswordCost }: PasswordsSettings) {
  const argon2id = { algorithm: "argon2id", memoryCost: cost.memoryKib, timeCost: cost.passes } as const;
  const semaphore = createKeyedSemaphore(hashingLimits);
  const decoy = Bun.password.hash(crypto.randomUUID(), argon2id);
  return {
    charsMin,

    /** Null for an acceptable new password. */
    faultOf: (password: string, email: string): PasswordFault | null => {
      const chars = [...normalised(password)].length;
      if (chars < charsMin) return "too-short";
      if (chars > passwordCharsMax) return "too-long";
      const folded = normalised(password).trim().toLowerCase();
      if (folded === normalised(email).trim().toLowerCase()) return "is-email";
      return isLeakedPassword(folded) ? "common" : null;
    },

    /** In PHC string format. `caller` is omitted on the command line. */
    hash: (password: string, caller?: Caller): Promise<string | "busy"> =>
      semaphore(caller === undefined ? commandLineKey : networkPrefixOf(caller), () => Bun.password.hash(normalised(password), argon2id)),

    /** Constant time: without a hash (no password, no account) it takes as long and is false. */
    matches: (password: string, hash: string | null, caller: Caller): Promise<boolean | "busy"> =>
      semaphore(networkPrefixOf(caller), async () => {
        // Impossible passwords are still hashed: constant time.
        const isPossible = password.length > 0 && [...password].length <= passwordCharsMax;
        const matches = await Bun.password.verify(isPossible ? normalised(password) : "-", hash ?? (await decoy));
        return matches && isPossible && hash !== null;
      }),
  };
}

/** NIST SP 800-63B section 3.1.1.2: Unicode normalisation, because keyboards compose characters differently. */
function normalised(password: string): string {
  return password.normalize("NFKC");
}
