/** Use cases of accounts and tokens over a real store: outcome, log line, audit entry and refusals. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changeAccountState, changePlan, inviteAccount } from "../../../src/accounts/account-operations.ts";
import { createToken, issueMetricsToken, revokeMetricsToken, revokeToken, tokensMax } from "../../../src/accounts/token-operations.ts";
import type { Account } from "../../../src/store/accounts.ts";
import { type Actor, accountActor } from "../../../src/store/audit.ts";
import { rigStart, type UseCaseRig, useCaseRig } from "../../support/use-case-rig.ts";

const dayMs = 86_400_000;
const operator: Actor = { kind: "cli", user: "root" };
let rig: UseCaseRig;
let account: Account;
let admin: Actor;

beforeAll(async () => {
  rig = useCaseRig();
  // The first account of a store has the plan agency.
  await rig.account();
});
beforeEach(async () => {
  account = await rig.account("free");
  admin = accountActor(await rig.account());
  for (const forget of [rig.logged, rig.audited]) forget();
});
afterAll(() => rig.stop());

const stored = () => rig.store.accounts.findById(account.id);
const subject = () => ({ kind: "account", id: account.id });

describe("plans and states", () => {
  test("an administrator and an operator change the plan", async () => {
    expect(await changePlan(rig.context, admin, { id: account.id, plan: "agency" })).toEqual({ done: { ...account, plan: "agency" } });
    expect(stored()?.plan).toBe("agency");
    await changePlan(rig.context, operator, { id: account.id, plan: "free" });
    const by = "id" in admin ? admin.id : 0;
    expect(rig.logged()).toEqual([
      ["plan changed", { account: account.id, plan: "agency", by }],
      ["plan changed", { account: account.id, plan: "free", by: "cli root" }],
    ]);
    expect(rig.audited()).toEqual([
      { actor: admin, action: "plan.changed", subject: subject(), details: { from: "free", to: "agency" } },
      { actor: operator, action: "plan.changed", subject: subject(), details: { from: "agency", to: "free" } },
    ]);
  });

  test("disabling and enabling are logged and audited", async () => {
    expect(await changeAccountState(rig.context, admin, { id: account.id, disabled: true })).toEqual({
      done: { ...account, disabled: true },
    });
    expect(stored()?.disabled).toBe(true);
    expect(await changeAccountState(rig.context, operator, { id: account.id, disabled: false })).toEqual({ done: account });
    expect(rig.logged().map(([event, { state }]) => [event, state])).toEqual([
      ["account changed", "disabled"],
      ["account changed", "enabled"],
    ]);
    expect(rig.audited().map(({ actor, action }) => [actor, action])).toEqual([
      [admin, "account.disabled"],
      [operator, "account.enabled"],
    ]);
  });

  test("refuse an unknown account, and an account that disables itself", async () => {
    expect(await changePlan(rig.context, admin, { id: 999_999, plan: "free" })).toEqual({ refused: "unknown" });
    expect(await changeAccountState(rig.context, admin, { id: 999_999, disabled: true })).toEqual({ refused: "unknown" });
    expect(await changeAccountState(rig.context, accountActor(account), { id: account.id, disabled: true })).toEqual({ refused: "self" });
    expect([stored()?.disabled, rig.logged(), rig.audited()]).toEqual([false, [], []]);
  });
});

describe("invitations", () => {
  const open = () => ({ ...rig.context, config: { "accounts.signup": "invite" } as const });
  const given = { email: "new@assay.test", plan: "free", admin: false } as const;

  test("give a link, with log line and audit entry", async () => {
    const invited = await inviteAccount(open(), operator, given);
    expect(invited).toMatchObject({ done: { link: { ...given, kind: "invite" }, value: expect.any(String) } });
    expect(rig.logged()).toEqual([["invitation created", { plan: "free", by: "cli root" }]]);
    const details = { kind: "invite", plan: "free", admin: false };
    expect(rig.audited()).toEqual([{ actor: operator, action: "link.created", subject: null, details }]);
  });

  test("are refused while registration is closed, for addresses in use, and beyond the limit", async () => {
    const closed = { ...rig.context, config: { "accounts.signup": "closed" } as const };
    expect(await inviteAccount(closed, admin, given)).toEqual({ refused: "closed" });
    expect(await inviteAccount(open(), admin, { ...given, email: "nowhere" })).toEqual({ refused: "email-invalid" });
    expect(await inviteAccount(open(), admin, { ...given, email: account.email })).toEqual({ refused: "email-taken" });
    expect([rig.logged(), rig.audited()]).toEqual([[], []]);
  });
});

describe("API tokens", () => {
  const create = (name: string, by: Actor = operator) => createToken(rig.context, by, { accountId: account.id, name, lifetime: "30d" });

  test("are created and revoked with log line and audit entry, but without their value", async () => {
    const created = await create("  CI  ");
    if (!("done" in created)) throw new Error(created.refused);
    const { token, value } = created.done;
    const expiresAt = new Date(rigStart.getTime() + 30 * dayMs).toISOString();
    expect(token).toMatchObject({ accountId: account.id, name: "CI", expiresAt });
    expect(rig.store.apiTokens.findByValue(value)).toEqual(token);
    expect(await revokeToken(rig.context, accountActor(account), token)).toEqual({ done: { ...token, revokedAt: rigStart.toISOString() } });
    const fields = { account: account.id, token: token.id };
    const lines = rig.logged();
    expect(lines).toEqual([
      ["token created", { ...fields, expires: expiresAt, by: "cli root" }],
      ["token revoked", { ...fields, by: account.id }],
    ]);
    expect(JSON.stringify(lines)).not.toContain(value);
    expect(rig.audited().map(({ actor, action }) => [actor, action])).toEqual([
      [operator, "token.created"],
      [accountActor(account), "token.revoked"],
    ]);
  });

  test("need a name, and place: revoked and expired ones leave some", async () => {
    expect(await create(" \t")).toEqual({ refused: "no-name" });
    const old = { accountId: account.id, name: "old", now: rigStart };
    await rig.store.apiTokens.create({ ...old, expiresAt: rigStart });
    for (let at = 1; at < tokensMax; at++) await rig.store.apiTokens.create(old);
    const last = await create("last");
    expect(await create("one more")).toEqual({ refused: "full" });
    if (!("done" in last)) throw new Error(last.refused);
    await revokeToken(rig.context, operator, last.done.token);
    expect(await create("one more")).toMatchObject({ done: { token: { name: "one more" } } });
  });

  test("of other accounts are not revoked", async () => {
    const created = await create("CI");
    if (!("done" in created)) throw new Error(created.refused);
    rig.logged();
    const { id } = created.done.token;
    const other = await rig.account();
    expect(await revokeToken(rig.context, accountActor(other), { accountId: other.id, id })).toEqual({ refused: "unknown" });
    expect([rig.store.apiTokens.findByValue(created.done.value)?.revokedAt, rig.logged()]).toEqual([null, []]);
  });
});

test("the token for metrics replaces the earlier one, and is revoked once", async () => {
  const [first, second] = [await issueMetricsToken(rig.context, account), await issueMetricsToken(rig.context, account)];
  const accountOf = (value: string) => rig.store.metricsTokens.accountOf(value);
  expect([accountOf(first), accountOf(second)]).toEqual([undefined, account.id]);
  expect(await revokeMetricsToken(rig.context, account)).toEqual({ done: null });
  expect(accountOf(second)).toBeUndefined();
  expect(await revokeMetricsToken(rig.context, account)).toEqual({ refused: "unknown" });
  const fields = { account: account.id };
  expect(rig.logged()).toEqual([
    ["token for metrics of sites issued", fields],
    ["token for metrics of sites issued", fields],
    ["token for metrics of sites revoked", fields],
  ]);
});
