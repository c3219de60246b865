/** Context of use cases over a real store, with their log lines and the entries of the audit log. */
import { createLog, type LogFields } from "../../src/base/log.ts";
import type { Account, Plan } from "../../src/store/accounts.ts";
import type { AuditEntry } from "../../src/store/audit.ts";
import { type SiteServicesUnderTest, siteServices } from "./site-services.ts";
import { temporaryStore } from "./temporary-store.ts";

export const rigStart = new Date("2026-11-21T12:00:00.000Z");

export function useCaseRig(options: Parameters<typeof temporaryStore>[0] = {}) {
  const { store, stop } = temporaryStore(options);
  const lines: string[] = [];
  const sites: SiteServicesUnderTest = siteServices();
  const calls: string[] = [];
  let [accounts, lastAudit, nowMs] = [0, 0, rigStart.getTime()];
  const audit = () => store.audit.list({ limit: 1_000, cursor: null, readMax: 1_000 }).items.filter(({ id }) => id > lastAudit);
  return {
    store,
    sites,
    stop,
    context: {
      store,
      sites,
      scanning: {
        wake: () => void calls.push("wake"),
        cancelled: (token: string) => void calls.push(`cancelled ${token}`),
      },
      now: () => new Date(nowMs),
      log: createLog({ level: "info", format: "json", write: (line) => void lines.push(line) }),
    },
    advanceMs: (ms: number) => {
      nowMs += ms;
    },
    /** The first account of a store is an administrator on the plan agency. */
    account: async (plan: Plan = "agency"): Promise<Account> => {
      accounts += 1;
      const account = await store.accounts.create({ email: `account-${accounts}@assay.test`, plan, now: new Date(nowMs) });
      if (typeof account === "string") throw new Error(account);
      return account;
    },
    /** Calls of the dispatcher since the last time. */
    calls: (): readonly string[] => calls.splice(0),
    /** Event and fields of each line since the last time. */
    logged: (): readonly (readonly [string, LogFields])[] =>
      lines.splice(0).map((line) => {
        const { time: _time, level: _level, event, ...fields } = JSON.parse(line) as { event: string } & LogFields;
        return [event, fields];
      }),
    /** Entries of the audit log since the last time, oldest first. */
    audited: (): readonly Pick<AuditEntry, "actor" | "action" | "subject" | "details">[] => {
      const entries = audit().toReversed();
      lastAudit = entries.at(-1)?.id ?? lastAudit;
      return entries.map(({ actor, action, subject, details }) => ({ actor, action, subject, details }));
    },
  };
}

export type UseCaseRig = ReturnType<typeof useCaseRig>;
