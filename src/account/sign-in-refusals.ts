/** Refused sign-ins in the audit log: those that show a known password, or that aim at an administrator. */
import { createLruCache } from "../base/lru-cache.ts";
import { hourMs } from "../base/units.ts";
import type { Store } from "../store/store.ts";

/** Accounts and reasons whose last hour is known; with more, an hour may have two entries. */
const rememberedMax = 10_000;

export interface SignInRefusal {
  readonly because: string;
  /** Null for an unknown mail address, which is never noted: the log is for known accounts. */
  readonly accountId: number | null;
  /** Truncated. */
  readonly address: string;
}

interface RefusalSettings {
  readonly store: Pick<Store, "accounts" | "audit">;
  readonly now: () => Date;
}

/** Notes the first refusal of an account for a reason in each hour. Resolves when it is on disk. */
export function createSignInRefusals({ store, now }: RefusalSettings) {
  const noted = createLruCache<number>(rememberedMax);
  return {
    noteRefusal: async ({ because, accountId, address }: SignInRefusal): Promise<void> => {
      const account = accountId === null ? undefined : store.accounts.findById(accountId);
      if (account === undefined || (because === "password" && !account.admin)) return;
      const hour = Math.floor(now().getTime() / hourMs);
      const key = `${account.id} ${because}`;
      if (noted.get(key) === hour) return;
      noted.set(key, hour);
      const subject = { kind: "account", id: account.id } as const;
      await store.audit.note({
        actor: { kind: "visitor" },
        action: "sign-in.refused",
        subject,
        details: { because, address },
        now: now(),
      });
    },
  };
}
