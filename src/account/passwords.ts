/** Passwords: which ones are taken, and how they are kept and compared without holding up anything else. */
import { type Caller, neighbourhoodOf } from "./caller.ts";
import { createKeyedSemaphore } from "./keyed-semaphore.ts";
import { isLeakedPassword } from "./leaked-passwords.ts";

/** OWASP's second choice for argon2id: 19 MiB and two passes, some 25 ms on one core. */
const argon2id = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Each takes 19 MiB and a core; those who wait are answered within half a second, and four neighbourhoods have room beside each other. */
const line = { atOnceMax: 2, waitingMax: 40, waitingOfOneMax: 10 };
/** For whom the command line works. */
const ownMachine = "";
/** Far above what people type and managers make; hashing longer ones is work for nothing. */
export const passwordCharsMax = 256;

export type PasswordFault = "too-short" | "too-long" | "common" | "is-email";

export interface Passwords {
  readonly charsMin: number;
  /** What is wrong with a new password; null when it is taken. */
  faultOf(password: string, email: string): PasswordFault | null;
  /** In PHC string format. `caller` is left out on the command line. */
  hash(password: string, caller?: Caller): Promise<string | "busy">;
  /** Null for the hash is an account that nobody can sign in to, or none at all: it takes as long as any other, and is false. */
  matches(password: string, hash: string | null, caller: Caller): Promise<boolean | "busy">;
}

export function createPasswords({ charsMin }: { readonly charsMin: number }): Passwords {
  const takeTurn = createKeyedSemaphore(line);
  const decoy = Bun.password.hash(crypto.randomUUID(), argon2id);
  return {
    charsMin,

    faultOf: (password, email) => {
      const chars = [...normal(password)].length;
      if (chars < charsMin) return "too-short";
      if (chars > passwordCharsMax) return "too-long";
      const folded = normal(password).trim().toLowerCase();
      if (folded === normal(email).trim().toLowerCase()) return "is-email";
      return isLeakedPassword(folded) ? "common" : null;
    },

    hash: (password, caller) =>
      takeTurn(caller === undefined ? ownMachine : neighbourhoodOf(caller), () => Bun.password.hash(normal(password), argon2id)),

    matches: (password, hash, caller) =>
      takeTurn(neighbourhoodOf(caller), async () => {
        // One that nobody can have is not worth its work, but it may not be told by its time either.
        const isPossible = password.length > 0 && [...password].length <= passwordCharsMax;
        const matches = await Bun.password.verify(isPossible ? normal(password) : "-", hash ?? (await decoy));
        return matches && isPossible && hash !== null;
      }),
  };
}

/** NIST SP 800-63B section 3.1.1.2: one form of what looks the same, however a keyboard composes it. */
function normal(password: string): string {
  return password.normalize("NFKC");
}
