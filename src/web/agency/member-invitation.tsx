/** `/members/accept?invitation=`: accepts an invitation to share the sites of another account. */
import { acceptMemberPath, invitationParam, memberInvitationPath } from "../../agency/member-operations.ts";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import { emailKey } from "../../store/account-index.ts";
import type { Account } from "../../store/accounts.ts";
import { type MemberInvitation, memberInvitationHours } from "../../store/site-accounts.ts";
import { plainPage } from "../accounts/credentials.tsx";
import { ActionForm, LinkButton } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import { signInFirst } from "../errors.ts";
import { readForm } from "../form.tsx";
import { redirect } from "../response.ts";
import type { PageHandler, Visit } from "../visit.ts";

/** An open invitation, and the account that made it. */
interface Invited {
  readonly value: string;
  readonly invitation: MemberInvitation;
  readonly owner: Account;
}

export const getAccept: PageHandler = (visit) => {
  const invited = invitedBy(visit, visit.url.searchParams.get(invitationParam) ?? "");
  if (invited === null) return unusablePage(visit);
  if (visit.account === null) return guestPage(visit, invited);
  return isAddressed(visit.account, invited) ? offerPage(visit, invited) : otherAddressPage(visit, visit.account, invited);
};

/** Guests see the page too, so the route cannot demand an account. @throws PageError 401 for guests. */
export const postAccept: PageHandler = async (visit) => {
  const { account } = visit;
  if (account === null) throw signInFirst();
  const value = (await readForm(visit)).text(invitationParam);
  const invited = invitedBy(visit, value);
  if (invited === null) return unusablePage(visit);
  const { store, log } = visit.settings;
  const accepted = await store.members.accept(value, account.id, visit.now);
  if (accepted === "unknown") return unusablePage(visit);
  if (accepted === "full") {
    const children = <p>{visit.i18n.t("members.accept.full.what")}</p>;
    return plainPage(visit, { title: "members.accept.full.title", status: 409, children });
  }
  if (typeof accepted === "string") return otherAddressPage(visit, account, invited);
  log.info("member joined", { account: accepted.ownerId, member: account.id, role: accepted.role });
  return redirect(visit, "/account/members?done=accepted");
};

/** Null for an unknown, used or expired invitation. */
function invitedBy({ settings: { store }, now }: Visit, value: string): Invited | null {
  const invitation = store.members.findInvitation(value, now);
  const owner = invitation === undefined ? undefined : store.accounts.findById(invitation.ownerId);
  return invitation === undefined || owner === undefined ? null : { value, invitation, owner };
}

function isAddressed({ id, email }: Account, { invitation, owner }: Invited): boolean {
  return id !== owner.id && emailKey(email) === emailKey(invitation.email);
}

function unusablePage(visit: Visit): Response {
  const { i18n } = visit;
  return plainPage(visit, {
    title: "members.accept.invalid.title",
    status: 410,
    children: (
      <>
        <p>{i18n.t("members.accept.invalid.what", { days: memberInvitationHours / 24 })}</p>
        <p>{i18n.t("members.accept.invalid.next")}</p>
      </>
    ),
  });
}

function Offer({ invited: { invitation, owner } }: { readonly invited: Invited }) {
  const { i18n } = useVisit();
  return (
    <>
      <p>{i18n.t("members.accept.by", { owner: plainUntrustedText(owner.email) })}</p>
      <p>{i18n.t(`members.accept.means.${invitation.role}`)}</p>
    </>
  );
}

function offerPage(visit: Visit, invited: Invited): Response {
  return plainPage(visit, {
    title: "members.accept.title",
    children: (
      <>
        <Offer invited={invited} />
        <ActionForm action={acceptMemberPath} hidden={{ [invitationParam]: invited.value }} submit="members.accept.submit" />
      </>
    ),
  });
}

/** Next steps that this appliance allows. */
function guestPage(visit: Visit, invited: Invited): Response {
  const { i18n, settings } = visit;
  const next = memberInvitationPath(invited.value);
  const email = plainUntrustedText(invited.invitation.email);
  return plainPage(visit, {
    title: "members.accept.title",
    children: (
      <>
        <Offer invited={invited} />
        <p>{i18n.t("members.accept.signInAs", { email })}</p>
        <p>
          <LinkButton href={`/sign-in?${new URLSearchParams({ next })}`} text="signIn.submit" />
        </p>
        {settings.config["accounts.signup"] === "open" ? (
          <p>
            {i18n.t("members.accept.signUp", { email })} <a href="/sign-up">{i18n.t("signIn.signUpLink")}</a>
          </p>
        ) : (
          <p>
            {i18n.t("members.accept.noAccount", { email })}{" "}
            <a href={`/sign-up?${new URLSearchParams({ t: invited.value })}`}>{i18n.t("signIn.signUpLink")}</a>
          </p>
        )}
      </>
    ),
  });
}

/** The owner, who opens the link before passing it on, gets a page too. */
function otherAddressPage(visit: Visit, account: Account, { invitation, owner }: Invited): Response {
  const { i18n } = visit;
  const email = plainUntrustedText(invitation.email);
  const isOwn = account.id === owner.id;
  return plainPage(visit, {
    title: isOwn ? "members.accept.own.title" : "members.accept.other.title",
    status: 403,
    children: isOwn ? (
      <>
        <p>{i18n.t("members.accept.own.what", { email })}</p>
        <p>
          <a href="/account/members">{i18n.t("members.made.back")}</a>
        </p>
      </>
    ) : (
      <>
        <p>{i18n.t("members.accept.other.what", { email, own: plainUntrustedText(account.email) })}</p>
        <p>{i18n.t("members.accept.other.next")}</p>
        <p>
          <a href="/sign-out">{i18n.t("signOut.submit")}</a>
        </p>
      </>
    ),
  });
}
