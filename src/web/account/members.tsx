/** `/account/members`: people who share the watched sites of the account, and owners who share theirs with it. */
import {
  addMemberInvitation,
  changeMemberRole,
  memberInvitationPath,
  removeMember,
  withdrawMemberInvitation,
} from "../../account/member-operations.ts";
import { recordIdPattern } from "../../base/record-id.ts";
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { emailCharsMax } from "../../store/account-index.ts";
import type { Account } from "../../store/accounts.ts";
import { type IssuedInvitation, type Member, type MemberRole, memberInvitationHours, memberRoles } from "../../store/site-accounts.ts";
import { CopyField } from "../components/copy-field.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import { ownerPath } from "../sites/site-access.ts";
import { publicOrigin, type Visit } from "../visit.ts";
import { accountPage } from "./account-page.tsx";

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

/** Member or owner. */
interface Person extends Member {
  readonly account: Account;
}

interface PersonFormProps {
  readonly person: Person;
  readonly action: string;
}

/** A deleted account may be left for a moment; it is not shown. */
function usePeople(members: readonly Member[], idOf: (member: Member) => number): readonly Person[] {
  const { store } = useVisit().settings;
  return members.flatMap((member) => {
    const account = store.accounts.findById(idOf(member));
    return account === undefined ? [] : [{ ...member, account }];
  });
}

function MemberTable({ account, action }: OwnTableProps) {
  const { i18n, settings } = useVisit();
  const people = usePeople(settings.store.members.list(account.id), ({ memberId }) => memberId);
  if (people.length === 0) return <EmptyState title={i18n.t("members.none")} />;
  return (
    <section aria-labelledby="members">
      <h2 id="members">{i18n.t("members.caption")}</h2>
      <DataTable
        caption={i18n.t("members.caption")}
        captionUnseen
        rows={people}
        columns={[
          { label: i18n.t("credentials.email"), cell: (person) => <UntrustedText>{person.account.email}</UntrustedText> },
          { label: i18n.t("members.since"), cell: ({ since }) => <Instant at={since} day relative={false} /> },
          { label: i18n.t("members.role"), cell: (person) => <RoleForm person={person} action={action} /> },
          {
            label: i18n.t("members.action"),
            cell: (person) => (
              <EndForm
                person={person}
                action={action}
                operation="remove"
                text={i18n.t("members.remove")}
                label={i18n.t("members.removeOf", { email: plainUntrustedText(person.account.email) })}
              />
            ),
          },
        ]}
      />
      <p class="hint">{i18n.t("members.means")}</p>
    </section>
  );
}

/** Null if no other account shares its sites. */
function OwnerTable({ account, action }: OwnTableProps) {
  const { i18n, settings } = useVisit();
  const people = usePeople(settings.store.members.owners(account.id), ({ ownerId }) => ownerId);
  if (people.length === 0) return null;
  return (
    <section aria-labelledby="owners">
      <h2 id="owners">{i18n.t("members.owners.caption")}</h2>
      <DataTable
        caption={i18n.t("members.owners.caption")}
        captionUnseen
        rows={people}
        columns={[
          {
            label: i18n.t("members.owners.owner"),
            cell: ({ account: owner, role }) => (
              <a href={ownerPath("/sites", { owner, role })}>
                <UntrustedText>{owner.email}</UntrustedText>
              </a>
            ),
          },
          { label: i18n.t("members.since"), cell: ({ since }) => <Instant at={since} day relative={false} /> },
          { label: i18n.t("members.role"), cell: ({ role }) => i18n.t(`members.roles.${role}`) },
          {
            label: i18n.t("members.action"),
            cell: (person) => (
              <EndForm
                person={person}
                action={action}
                operation="leave"
                text={i18n.t("members.owners.leave")}
                label={i18n.t("members.owners.leaveOf", { email: plainUntrustedText(person.account.email) })}
              />
            ),
          },
        ]}
      />
    </section>
  );
}

function RoleForm({ person: { account, role }, action }: PersonFormProps) {
  const { i18n } = useVisit();
  const email = plainUntrustedText(account.email);
  return (
    <Form action={action}>
      <input type="hidden" name="do" value="role" />
      <input type="hidden" name="account" value={String(account.id)} />
      <select name="role" aria-label={i18n.t("members.roleOf", { email })}>
        {memberRoles.map((one) => (
          <option key={one} value={one} selected={one === role}>
            {i18n.t(`members.roles.${one}`)}
          </option>
        ))}
      </select>{" "}
      <SubmitButton kind="plain" compact label={i18n.t("members.setRoleOf", { email })}>
        {i18n.t("members.setRole")}
      </SubmitButton>
    </Form>
  );
}

interface EndFormProps extends PersonFormProps {
  readonly operation: "remove" | "leave";
  readonly text: string;
  /** Accessible name, with the address. */
  readonly label: string;
}

function EndForm({ person, action, operation, text, label }: EndFormProps) {
  return (
    <Form action={action}>
      <input type="hidden" name="do" value={operation} />
      <input type="hidden" name="account" value={String(person.account.id)} />
      <SubmitButton kind="danger" compact label={label}>
        {text}
      </SubmitButton>
    </Form>
  );
}

/** Form values of an invitation, and the error. */
interface TypedInvitation {
  readonly email: string;
  readonly role: MemberRole;
  readonly error: "emailInvalid" | "own" | "member" | "full";
}

interface OwnTableProps {
  readonly account: Account;
  readonly action: string;
}

function InvitationFields({ typed }: { readonly typed: TypedInvitation | null }) {
  const { i18n, settings } = useVisit();
  return (
    <>
      <Field
        name="email"
        type="email"
        label={i18n.t("credentials.email")}
        hint={i18n.t(settings.mail === null ? "members.invite.hintLink" : "members.invite.hintMail", { days: memberInvitationHours / 24 })}
        error={typed === null ? undefined : i18n.t(`members.invite.errors.${typed.error}`)}
        value={typed?.email ?? ""}
        maxLength={emailCharsMax}
        autocomplete="off"
        verbatim
      />
      <SelectField
        name="role"
        label={i18n.t("members.role")}
        value={typed?.role ?? "viewer"}
        options={memberRoles.map((role) => ({ value: role, text: i18n.t(`members.roleMeans.${role}`) }))}
      />
    </>
  );
}

/** Null without an open invitation. */
function InvitationTable({ account, action }: OwnTableProps) {
  const { i18n, now, settings } = useVisit();
  const invitations = settings.store.members.invitations(account.id, now);
  if (invitations.length === 0) return null;
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">{i18n.t("members.open.caption")}</h2>
      <DataTable
        caption={i18n.t("members.open.caption")}
        captionUnseen
        rows={invitations.toSorted((one, other) => (one.expiresAt < other.expiresAt ? 1 : -1))}
        columns={[
          { label: i18n.t("credentials.email"), cell: ({ email }) => <UntrustedText>{email}</UntrustedText> },
          { label: i18n.t("members.role"), cell: ({ role }) => i18n.t(`members.roles.${role}`) },
          { label: i18n.t("members.open.expires"), cell: ({ expiresAt }) => <Instant at={expiresAt} day relative={false} /> },
          {
            label: i18n.t("members.action"),
            cell: ({ email }) => (
              <Form action={action}>
                <input type="hidden" name="do" value="withdraw" />
                <input type="hidden" name="email" value={email} />
                <SubmitButton kind="danger" compact label={i18n.t("members.open.withdrawOf", { email: plainUntrustedText(email) })}>
                  {i18n.t("members.open.withdraw")}
                </SubmitButton>
              </Form>
            ),
          },
        ]}
      />
    </section>
  );
}

interface UnsentInvitationProps {
  readonly issued: IssuedInvitation;
  readonly url: string;
}

function UnsentInvitation({ issued: { invitation }, url }: UnsentInvitationProps) {
  const { i18n, settings } = useVisit();
  return (
    <>
      <p>{i18n.t("members.made.for", { email: plainUntrustedText(invitation.email), expires: i18n.dateTime(invitation.expiresAt) })}</p>
      <Notice kind="warn">
        <p>{i18n.t(settings.mail === null ? "members.made.noMail" : "members.made.notSent")}</p>
      </Notice>
      <CopyField
        id="invitation"
        label={i18n.t("members.made.link")}
        value={url}
        copy={i18n.t("members.made.copy")}
        copied={i18n.t("members.made.copied")}
      />
      <p>
        <a href="/account/members">{i18n.t("members.made.back")}</a>
      </p>
    </>
  );
}
