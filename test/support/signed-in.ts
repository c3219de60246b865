/** Accounts for tests of pages, and visitors with an open session. */
import type { Account, Plan } from "../../src/store/accounts.ts";
import type { PagesUnderTest, Visitor } from "./pages.ts";

/** The first account of a store is always an administrator on the agency plan. */
export async function accountIn({ store }: PagesUnderTest, email: string, given: { readonly plan?: Plan } = {}): Promise<Account> {
  const account = await store.accounts.create({ email, now: new Date(), ...given });
  if (typeof account === "string") throw new Error(`no account for ${email}: ${account}`);
  return account;
}

let accounts = 0;

/** Another account, with a new address: for tests that share their pages. */
export function anotherAccount(pages: PagesUnderTest, plan: Plan = "agency"): Promise<Account> {
  accounts += 1;
  return accountIn(pages, `account-${accounts}@assay.test`, { plan });
}

export async function signedIn(pages: Pick<PagesUnderTest, "store" | "visitor">, { id }: Account): Promise<Visitor> {
  const origin = { userAgent: "test", address: "127.0.0.1" };
  const opened = await pages.store.sessions.open({ accountId: id, verifiedPasswordHash: null, origin, now: new Date() });
  if (opened === undefined) throw new Error(`no session for account ${id}`);
  const visitor = pages.visitor();
  visitor.cookies.set("sid", opened.value);
  return visitor;
}
