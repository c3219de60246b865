/** Use cases of members and brands over a real store: outcome, log line, audit entry and refusals. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { removeBrand, saveBrand, saveLogo } from "../../../src/agency/brand-operations.ts";
import {
  addMemberInvitation,
  changeMemberRole,
  type InvitationMail,
  removeMember,
  withdrawMemberInvitation,
} from "../../../src/agency/member-operations.ts";
import type { DecodeLogo } from "../../../src/base/documents.ts";
import type { Account } from "../../../src/store/accounts.ts";
import { accountActor } from "../../../src/store/audit.ts";
import { logoText, memberInvitationsMax } from "../../../src/store/site-accounts.ts";
import { type UseCaseRig, useCaseRig } from "../../support/use-case-rig.ts";

const origin = "https://assay.example";
let rig: UseCaseRig;
let owner: Account;
let member: Account;

beforeAll(() => {
  rig = useCaseRig();
});
beforeEach(async () => {
  [owner, member] = [await rig.account(), await rig.account()];
  for (const forget of [rig.logged, rig.audited]) forget();
});
afterAll(() => rig.stop());

const subject = () => ({ kind: "account", id: owner.id });

describe("members", () => {
  let mailed: { readonly to: string; readonly url: string }[];
  const context = (outcome: InvitationMail | null = "sent") => ({
    ...rig.context,
    mail: outcome && {
      memberInvitation: async (_owner: Account, { email }: { readonly email: string }, url: string) => {
        mailed.push({ to: email, url });
        return outcome;
      },
    },
  });
  const invite = (email: string, outcome: InvitationMail | null = "sent") =>
    addMemberInvitation(context(outcome), owner, { email, role: "viewer", origin });
  beforeEach(() => {
    mailed = [];
  });

  async function join(): Promise<void> {
    const invited = await invite(member.email);
    if (!("done" in invited)) throw new Error(invited.refused);
    await rig.store.members.accept(invited.done.value, member.id, rig.context.now());
    for (const forget of [rig.logged, rig.audited]) forget();
  }

  test("are invited by a mail with the link, or by a link alone", async () => {
    const invited = await invite(member.email);
    if (!("done" in invited)) throw new Error(invited.refused);
    expect(invited.done).toMatchObject({ mail: "sent", invitation: { email: member.email, role: "viewer" } });
    expect(mailed).toEqual([{ to: member.email, url: `${origin}/members/accept?invitation=${invited.done.value}` }]);
    expect(await invite(member.email, "failed")).toMatchObject({ done: { mail: "failed" } });
    expect(await invite(member.email, null)).toMatchObject({ done: { mail: "no-mail" } });
    expect(rig.logged()).toEqual(
      ["sent", "failed", "no-mail"].map((mail) => ["member invited", { account: owner.id, role: "viewer", mail }]),
    );
    const entry = { actor: accountActor(owner), action: "member.invited", subject: subject(), details: { role: "viewer" } };
    expect(rig.audited()).toEqual([entry, entry, entry]);
  });

  test("are not invited by their own address, twice, by no address, or beyond the limit", async () => {
    await join();
    expect(await invite(owner.email)).toEqual({ refused: "own" });
    expect(await invite(member.email.toUpperCase())).toEqual({ refused: "member" });
    expect(await invite("nowhere")).toEqual({ refused: "email-invalid" });
    for (let at = 0; at < memberInvitationsMax; at++)
      await rig.store.members.invite({ ownerId: owner.id, email: `${at}@else.test`, role: "viewer" }, rig.context.now());
    rig.audited();
    expect(await invite("one-more@else.test")).toEqual({ refused: "full" });
    expect([rig.logged(), rig.audited(), mailed.length]).toEqual([[], [], 1]);
  });

  test("lose their invitation once", async () => {
    await invite("new@else.test");
    rig.logged();
    expect(await withdrawMemberInvitation(context(), member, "new@else.test")).toEqual({ refused: "unknown" });
    expect(await withdrawMemberInvitation(context(), owner, "New@else.test")).toEqual({ done: null });
    expect(rig.store.members.invitations(owner.id, rig.context.now())).toEqual([]);
    expect(rig.logged()).toEqual([["invitation of a member withdrawn", { account: owner.id, role: "viewer" }]]);
    expect(await withdrawMemberInvitation(context(), owner, "new@else.test")).toEqual({ refused: "unknown" });
  });

  test("get another role, and are removed by the owner or leave", async () => {
    await join();
    const changed = await changeMemberRole(context(), owner, { memberId: member.id, role: "editor" });
    expect(changed).toMatchObject({ done: { ownerId: owner.id, memberId: member.id, role: "editor" } });
    const ids = { ownerId: owner.id, memberId: member.id };
    expect(await removeMember(context(), await rig.account(), ids)).toEqual({ refused: "unknown" });
    expect(await removeMember(context(), owner, ids)).toEqual({ done: null });
    const fields = { account: owner.id, member: member.id };
    expect(rig.logged()).toEqual([
      ["role of a member changed", { ...fields, role: "editor" }],
      ["member removed", fields],
    ]);
    await join();
    expect(await removeMember(context(), member, ids)).toEqual({ done: null });
    expect(rig.logged()).toEqual([["member left", fields]]);
    expect(rig.audited()).toEqual([
      { actor: accountActor(member), action: "member.removed", subject: subject(), details: { member: member.id, role: "viewer" } },
    ]);
    expect(await removeMember(context(), owner, ids)).toEqual({ refused: "unknown" });
    expect(await changeMemberRole(context(), owner, { memberId: member.id, role: "viewer" })).toEqual({ refused: "unknown" });
    expect([rig.logged(), rig.audited()]).toEqual([[], []]);
  });
});

describe("brands", () => {
  const png = new Uint8Array([137, 80, 78, 71]);
  const given = { name: "Acme", accent: "#14501e", footer: "" };
  const stored = () => rig.store.brands.find(owner.id);
  const context = (decodeLogo: DecodeLogo = async () => ({ png, width: 1, height: 1 })) => ({ ...rig.context, decodeLogo });
  const saved = (logo: boolean) => ["brand saved", { account: owner.id, logo }];

  test("keep, replace and lose their logo", async () => {
    const brand = { name: "Acme", accent: "#14501e", footer: null };
    expect(await saveBrand(context(), owner, { ...given, logo: "kept" })).toEqual({ done: { ...brand, logoPng: null } });
    expect(await saveBrand(context(), owner, { ...given, logo: png })).toEqual({ done: { ...brand, logoPng: logoText(png) } });
    expect(await saveBrand(context(), owner, { ...given, name: "Acme Ltd", logo: "kept" })).toMatchObject({
      done: { logoPng: logoText(png) },
    });
    expect(await saveLogo(context(), owner, "removed")).toMatchObject({ done: { name: "Acme Ltd", logoPng: null } });
    expect(await saveLogo(context(), owner, "removed")).toEqual({ refused: "no-logo" });
    expect(await saveLogo(context(), owner, png)).toMatchObject({ done: { name: "Acme Ltd", logoPng: logoText(png) } });
    expect(await saveBrand(context(), owner, { ...given, logo: "removed" })).toMatchObject({ done: { logoPng: null } });
    expect(rig.logged()).toEqual([false, true, true, false, true, false].map(saved));
  });

  test("are refused with the faults of all fields; the logo is decoded only if they are right", async () => {
    const busy = context(async () => "busy");
    const faults = { name: "noName", accent: "lowContrast" };
    expect(await saveBrand(busy, owner, { name: "", accent: "#ffff00", footer: "", logo: png })).toEqual({ faults });
    expect(await saveBrand(busy, owner, { ...given, logo: png })).toEqual({ faults: { logo: "busy" } });
    expect(await saveLogo(busy, owner, png)).toEqual({ refused: "no-brand" });
    await saveBrand(context(), owner, { ...given, logo: "kept" });
    expect(await saveLogo(busy, owner, png)).toEqual({ faults: { logo: "busy" } });
    const free = { ...owner, plan: "free" } as const;
    expect(await saveBrand(context(), free, { ...given, logo: "kept" })).toEqual({ refused: "not-in-plan" });
    expect(await saveLogo(context(), free, png)).toEqual({ refused: "not-in-plan" });
    expect([rig.logged(), stored()?.logoPng]).toEqual([[saved(false)], null]);
  });

  test("that are removed while a logo is decoded do not come back", async () => {
    await saveBrand(context(), owner, { ...given, logo: "kept" });
    rig.logged();
    const removing = context(async () => {
      await removeBrand(rig.context, owner);
      return { png, width: 1, height: 1 };
    });
    expect(await saveLogo(removing, owner, png)).toEqual({ refused: "no-brand" });
    expect(stored()).toBeUndefined();
    expect(rig.logged()).toEqual([["brand removed", { account: owner.id }]]);
    expect(await removeBrand(rig.context, owner)).toEqual({ refused: "unknown" });
  });
});
