/** `/members/accept?invitation=`: accepts an invitation to share the sites of another account. */
import type { ComponentChildren } from "preact";
import { acceptMemberPath, invitationParam, memberInvitationPath } from "../../account/member-operations.ts";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import { emailKey } from "../../store/account-index.ts";
import type { Account } from "../../store/accounts.ts";
import { type MemberInvitation, memberInvitationHours } from "../../store/site-accounts.ts";
import type { TextPath } from "../../text/translator.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { signInFirst } from "../errors.ts";
import { Form, readForm } from "../form.tsx";
import { page } from "../page.tsx";
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
  if (accepted === "full") return acceptPage(visit, { title: "members.accept.full.title", status: 409, children: <FullText /> });
  if (typeof accepted === "string") return otherAddressPage(visit, account, invited);
  log.info("member joined", { account: accepted.ownerId, member: account.id, role: accepted.role });
  return redirect(visit, "/account/members?done=accepted");
};

/** Null for an unknown, used or expired invitation. */
function invitedBy({ settings: { store }, now }: Visit, value: string): Invited | null {
  const invitation = store.members.findInvitation(value, now);
  const owner = invitation === undefined ? undefined : store.accounts.findById(invitation.ownerId);
  return invitation === undefined || owner === undefined || owner.disabled ? null : { value, invitation, owner };
}

function isAddressed({ id, email }: Account, { invitation, owner }: Invited): boolean {
  return id !== owner.id && emailKey(email) === emailKey(invitation.email);
}

interface AcceptPage {
  readonly title: TextPath;
  readonly status?: number;
  readonly children: ComponentChildren;
}

function acceptPage(visit: Visit, { title, status = 200, children }: AcceptPage): Response {
  const heading = visit.i18n.t(title);
  return page(visit, {
    title: heading,
    status,
    noIndex: true,
    // The link is secret.
    secret: true,
    children: (
      <div class="narrow">
        <h1>{heading}</h1>
        {children}
      </div>
    ),
  });
}

function unusablePage(visit: Visit): Response {
  const { i18n } = visit;
  return acceptPage(visit, {
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
  const { i18n } = visit;
  return acceptPage(visit, {
    title: "members.accept.title",
    children: (
      <>
        <Offer invited={invited} />
        <Form action={acceptMemberPath}>
          <input type="hidden" name={invitationParam} value={invited.value} />
          <SubmitButton>{i18n.t("members.accept.submit")}</SubmitButton>
        </Form>
      </>
    ),
  });
}

/** Next steps that this appliance allows. */
function guestPage(visit: Visit, invited: Invited): Response {
  const { i18n, settings } = visit;
  const next = memberInvitationPath(invited.value);
  const email = plainUntrustedText(invited.invitation.email);
  return acceptPage(visit, {
    title: "members.accept.title",
    children: (
      <>
        <Offer invited={invited} />
        <p>{i18n.t("members.accept.signInAs", { email })}</p>
        <p>
          <a class="button" href={`/sign-in?${new URLSearchParams({ next })}`}>
            {i18n.t("signIn.submit")}
          </a>
        </p>
        <p>
          {settings.config["accounts.signup"] === "open" ? (
            <>
              {i18n.t("members.accept.signUp", { email })} <a href="/sign-up">{i18n.t("signIn.signUpLink")}</a>
            </>
          ) : (
            i18n.t("members.accept.noAccount", { email })
          )}
        </p>
      </>
    ),
  });
}

/** Also for the owner, who opens the link before passing it on. */
function otherAddressPage(visit: Visit, account: Account, { invitation, owner }: Invited): Response {
  const { i18n } = visit;
  const email = plainUntrustedText(invitation.email);
  const isOwn = account.id === owner.id;
  return acceptPage(visit, {
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

function FullText() {
  const { i18n } = useVisit();
  return <p>{i18n.t("members.accept.full.what")}</p>;
}
