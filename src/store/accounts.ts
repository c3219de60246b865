/** Accounts: who may scan, and on which plan. */
import type { Db } from "./database.ts";

export const plans = ["free", "agency"] as const;
/** API access is part of `agency` (specification, section 5). */
export type Plan = (typeof plans)[number];

/** RFC 5321 section 4.5.3.1.3, less the angle brackets. */
const emailCharsMax = 254;

export interface Account {
  /** Rises with every account. */
  readonly id: number;
  /** As given; unique without regard to case. */
  readonly email: string;
  readonly admin: boolean;
  readonly plan: Plan;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

export interface AccountVerbs {
  /** The first account of an appliance is its admin and on the Agency plan, whatever was asked for. */
  createAccount(account: {
    readonly email: string;
    readonly plan?: Plan;
    readonly admin?: boolean;
    readonly now: Date;
  }): Promise<Account | "email-taken" | "email-invalid">;
  accountById(id: number): Account | undefined;
  accountByEmail(email: string): Account | undefined;
  /** All of them, oldest first. */
  accounts(): readonly Account[];
  /** Undefined when there is no such account. */
  setPlan(id: number, plan: Plan): Promise<Account | undefined>;
}

export function accountVerbs(db: Db): AccountVerbs {
  const accountById = (id: number) => db.accounts.get(id);
  return {
    createAccount: async ({ email, plan = "free", admin = false, now }) => {
      const address = email.trim();
      if (!isEmail(address)) return "email-invalid";
      return db.write(() => {
        if (db.accountIdsByEmail.doesExist(address.toLowerCase())) return "email-taken";
        const id = db.next("nextAccountId");
        const first = id === 1;
        const account: Account = {
          id,
          email: address,
          admin: first || admin,
          plan: first ? "agency" : plan,
          createdAt: now.toISOString(),
        };
        db.accounts.put(id, account);
        db.accountIdsByEmail.put(address.toLowerCase(), id);
        return account;
      });
    },

    accountById,

    accountByEmail: (email) => {
      const address = email.trim();
      const id = isEmail(address) ? db.accountIdsByEmail.get(address.toLowerCase()) : undefined;
      return id === undefined ? undefined : accountById(id);
    },

    accounts: () => [...db.accounts.getRange()].map(({ value }) => value),

    setPlan: (id, plan) =>
      db.write(() => {
        const account = accountById(id);
        if (account === undefined) return undefined;
        const changed: Account = { ...account, plan };
        db.accounts.put(id, changed);
        return changed;
      }),
  };
}

/** Only what nobody can doubt: one `@` with something on both sides, no blanks. Whether it is read by anyone, only a mail can tell. */
function isEmail(address: string): boolean {
  return address.length <= emailCharsMax && /^[^\s@]+@[^\s@]+$/.test(address);
}
