/** `/account/members`: people who share the watched sites of the account, and owners who share theirs with it. */
import {
  addMemberInvitation,
  changeMemberRole,
  memberInvitationPath,
  removeMember,
  withdrawMemberInvitation,
} from "../../../account/member-operations.ts";
import { recordIdPattern } from "../../../base/record-id.ts";
import { emailCharsMax } from "../../../store/account-index.ts";
import type { Account } from "../../../store/accounts.ts";
import { type IssuedInvitation, memberRoles } from "../../../store/site-accounts.ts";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { formMalformed } from "../../errors.ts";
import { type Fields, Form } from "../../form.tsx";
import type { GetFor, PostFor } from "../../guards.ts";
import { redirect } from "../../response.ts";
import { publicOrigin, type Visit } from "../../visit.ts";
import { accountPage } from "../account-frame.tsx";
import { InvitationFields, InvitationTable, type TypedInvitation, UnsentInvitation } from "./invitations.tsx";
import { MemberTable, OwnerTable } from "./member-table.tsx";

const membersPath = "/account/members";

/** Confirmations, named by the query parameter `done`. */
const confirmations = ["invited", "withdrawn", "role", "removed", "left", "accepted"] as const;
type Confirmation = (typeof confirmations)[number];

export const getMembers: GetFor<"accounts"> = (visit, account) => membersPage(visit, account);

export const postMembers: PostFor<"accounts"> = async (visit, account, fields) => {
  const { settings } = visit;
  switch (fields.text("do")) {
    case "invite":
      return invite(visit, account, fields);
    case "withdraw":
      await withdrawMemberInvitation(settings, account, fields.text("email").slice(0, emailCharsMax));
      return done(visit, "withdrawn");
    case "role":
      await changeMemberRole(settings, account, { memberId: idIn(fields), role: roleIn(fields) });
      return done(visit, "role");
    case "remove":
      await removeMember(settings, account, { ownerId: account.id, memberId: idIn(fields) });
      return done(visit, "removed");
    case "leave":
      await removeMember(settings, account, { ownerId: idIn(fields), memberId: account.id });
      return done(visit, "left");
    default:
      throw formMalformed();
  }
};

function done(visit: Visit, confirmation: Confirmation): Response {
  return redirect(visit, `${membersPath}?done=${confirmation}`);
}

/** The link is shown only if no mail carries it. */
async function invite(visit: Visit, owner: Account, fields: Fields): Promise<Response> {
  const email = fields
    .text("email")
    .slice(0, emailCharsMax + 1)
    .trim();
  const role = roleIn(fields);
  const origin = publicOrigin(visit);
  const invited = await addMemberInvitation(visit.settings, owner, { email, role, origin });
  if ("refused" in invited) {
    const error = invited.refused === "email-invalid" ? "emailInvalid" : invited.refused;
    return membersPage(visit, owner, { email, role, error });
  }
  if (invited.done.mail === "sent") return done(visit, "invited");
  return unsentPage(visit, invited.done, `${origin}${memberInvitationPath(invited.done.value)}`);
}

/** @throws PageError 400 for anything but an id. */
function idIn(fields: Fields): number {
  const id = fields.text("account");
  if (!recordIdPattern.test(id)) throw formMalformed();
  return Number(id);
}

/** @throws PageError 400 for values that the form cannot send. */
function roleIn(fields: Fields) {
  const role = memberRoles.find((one) => one === fields.text("role"));
  if (role === undefined) throw formMalformed();
  return role;
}

/** The page with the link is never redirected to: the link cannot be read again. */
function unsentPage(visit: Visit, issued: IssuedInvitation, url: string): Response {
  return accountPage(visit, { title: "members.made.title", children: <UnsentInvitation issued={issued} url={url} /> });
}

function membersPage(visit: Visit, account: Account, typed: TypedInvitation | null = null): Response {
  const { i18n, url } = visit;
  const confirmation = confirmations.find((one) => one === url.searchParams.get("done"));
  return accountPage(visit, {
    title: "members.title",
    lead: i18n.t("members.intro"),
    status: typed === null ? 200 : 400,
    done: typed === null && confirmation !== undefined ? i18n.t(`members.done.${confirmation}`) : null,
    children: (
      <>
        <MemberTable account={account} action={membersPath} />
        <InvitationTable account={account} action={membersPath} />
        <InvitationForm typed={typed} />
        <OwnerTable account={account} action={membersPath} />
      </>
    ),
  });
}

function InvitationForm({ typed }: { readonly typed: TypedInvitation | null }) {
  const { i18n } = useVisit();
  return (
    <section aria-labelledby="invite">
      <h2 id="invite">{i18n.t("members.invite.title")}</h2>
      <Form action={membersPath}>
        <input type="hidden" name="do" value="invite" />
        <InvitationFields typed={typed} />
        <SubmitButton>{i18n.t("members.invite.submit")}</SubmitButton>
      </Form>
    </section>
  );
}
