/** `/account/members`: people who share the watched sites of the account, and owners who share theirs with it. */
import {
  addMemberInvitation,
  changeMemberRole,
  memberInvitationPath,
  removeMember,
  withdrawMemberInvitation,
} from "../../agency/member-operations.ts";
import { emailCharsMax } from "../../parse/mail/address.ts";
import { Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Account } from "../../store/accounts.ts";
import { type IssuedInvitation, type Member, type MemberRole, memberInvitationHours, memberRoles } from "../../store/site-accounts.ts";
import { emailIn } from "../accounts/credentials.tsx";
import { SecretOnce } from "../components/copy-field.tsx";
import { ActionForm, choiceOf, type FormDescription, FormFields, RowAction } from "../components/forms.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { EmptyState, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { choiceIn, type Fields, idIn } from "../form.tsx";
import { byOperation, type GetFor } from "../guards.ts";
import { accountPage } from "../private-page.tsx";
import { ownerPath } from "../sites/site-access.ts";
import { publicOrigin, type Visit } from "../visit.ts";

const path = "/account/members";
const outcomes = outcomesOf(path, ["invited", "withdrawn", "role", "removed", "left", "accepted"], (outcome) => `members.done.${outcome}`);

const invitationForm = {
  email: {
    control: "email",
    label: "credentials.email",
    hint: ({ i18n, settings }) =>
      i18n.t(settings.mail === null ? "members.invite.hintLink" : "members.invite.hintMail", { days: memberInvitationHours / 24 }),
    maxLength: emailCharsMax,
    autocomplete: "off",
    verbatim: true,
  },
  role: choiceOf(memberRoles, (role) => `members.roleMeans.${role}`, { label: "members.role", initial: "viewer" }),
} satisfies FormDescription;

/** Form values of an invitation, and the error. */
interface TypedInvitation {
  readonly email: string;
  readonly role: MemberRole;
  readonly error: "emailInvalid" | "own" | "member" | "full";
}

export const getMembers: GetFor<"accounts"> = (visit, account) => membersPage(visit, account);

export const postMembers = byOperation<Account>({
  invite,
  withdraw: async (visit, account, fields) => {
    await withdrawMemberInvitation(visit.settings, account, fields.text("email").slice(0, emailCharsMax));
    return redirectWith(visit, outcomes, "withdrawn");
  },
  role: async (visit, account, fields) => {
    await changeMemberRole(visit.settings, account, { memberId: idIn(fields, "account"), role: choiceIn(fields, "role", memberRoles) });
    return redirectWith(visit, outcomes, "role");
  },
  remove: async (visit, account, fields) => {
    await removeMember(visit.settings, account, { ownerId: account.id, memberId: idIn(fields, "account") });
    return redirectWith(visit, outcomes, "removed");
  },
  leave: async (visit, account, fields) => {
    await removeMember(visit.settings, account, { ownerId: idIn(fields, "account"), memberId: account.id });
    return redirectWith(visit, outcomes, "left");
  },
});

/** The link is shown only if no mail carries it. */
async function invite(visit: Visit, owner: Account, fields: Fields): Promise<Response> {
  const email = emailIn(fields).trim();
  const role = choiceIn(fields, "role", memberRoles);
  const origin = publicOrigin(visit);
  const invited = await addMemberInvitation(visit.settings, owner, { email, role, origin });
  if ("refused" in invited) {
    const error = invited.refused === "email-invalid" ? "emailInvalid" : invited.refused;
    return membersPage(visit, owner, { email, role, error });
  }
  if (invited.done.mail === "sent") return redirectWith(visit, outcomes, "invited");
  return unsentPage(visit, invited.done, `${origin}${memberInvitationPath(invited.done.value)}`);
}

function membersPage(visit: Visit, account: Account, typed: TypedInvitation | null = null): Response {
  return accountPage(visit, {
    title: "members.title",
    lead: visit.i18n.t("members.intro"),
    status: typed === null ? 200 : 400,
    outcomes,
    children: (
      <>
        <MemberTable account={account} />
        <InvitationTable account={account} />
        <InvitationForm typed={typed} />
        <OwnerTable account={account} />
      </>
    ),
  });
}

/** Member or owner. */
interface Person extends Member {
  readonly account: Account;
}

/** A deleted account may be left for a moment; it is not shown. */
function usePeople(members: readonly Member[], idOf: (member: Member) => number): readonly Person[] {
  const { store } = useVisit().settings;
  return members.flatMap((member) => {
    const account = store.accounts.findById(idOf(member));
    return account === undefined ? [] : [{ ...member, account }];
  });
}

interface OfAccount {
  readonly account: Account;
}

function MemberTable({ account: owner }: OfAccount) {
  const { i18n, settings } = useVisit();
  const people = usePeople(settings.store.members.list(owner.id), ({ memberId }) => memberId);
  if (people.length === 0) return <EmptyState title={i18n.t("members.none")} />;
  return (
    <PageSection id="members" title="members.caption">
      <TextTable
        caption="members.caption"
        rows={people}
        columns={{
          "credentials.email": ({ account }) => <UntrustedText>{account.email}</UntrustedText>,
          "members.since": ({ since }) => <Instant at={since} day relative={false} />,
          "members.role": (person) => <RoleForm person={person} />,
          "members.action": ({ account: { id, email } }) => (
            <RowAction action={path} hidden={{ do: "remove", account: id }} kind="danger" submit="members.remove" of={{ email }} />
          ),
        }}
      />
      <p class="hint">{i18n.t("members.means")}</p>
    </PageSection>
  );
}

function RoleForm({ person: { account, role } }: { readonly person: Person }) {
  const { i18n } = useVisit();
  const email = plainUntrustedText(account.email);
  const hidden = { do: "role", account: account.id };
  return (
    <RowAction action={path} hidden={hidden} kind="plain" submit="members.setRole" of={{ email }}>
      <select name="role" aria-label={i18n.t("members.roleOf", { email })}>
        {memberRoles.map((one) => (
          <option key={one} value={one} selected={one === role}>
            {i18n.t(`members.roles.${one}`)}
          </option>
        ))}
      </select>{" "}
    </RowAction>
  );
}

/** Null without an open invitation. */
function InvitationTable({ account }: OfAccount) {
  const { i18n, now, settings } = useVisit();
  const invitations = settings.store.members.invitations(account.id, now);
  if (invitations.length === 0) return null;
  return (
    <PageSection id="invitations" title="members.open.caption">
      <TextTable
        caption="members.open.caption"
        rows={invitations.toSorted((one, other) => (one.expiresAt < other.expiresAt ? 1 : -1))}
        columns={{
          "credentials.email": ({ email }) => <UntrustedText>{email}</UntrustedText>,
          "members.role": ({ role }) => i18n.t(`members.roles.${role}`),
          "members.open.expires": ({ expiresAt }) => <Instant at={expiresAt} day relative={false} />,
          "members.action": ({ email }) => (
            <RowAction action={path} hidden={{ do: "withdraw", email }} kind="danger" submit="members.open.withdraw" of={{ email }} />
          ),
        }}
      />
    </PageSection>
  );
}

function InvitationForm({ typed }: { readonly typed: TypedInvitation | null }) {
  const { i18n } = useVisit();
  const errors = typed && new Map([["email", i18n.t(`members.invite.errors.${typed.error}`)]]);
  return (
    <PageSection id="invite" title="members.invite.title">
      <ActionForm action={path} hidden={{ do: "invite" }} submit="members.invite.submit">
        <FormFields form={invitationForm} values={typed && { email: typed.email, role: typed.role }} errors={errors} />
      </ActionForm>
    </PageSection>
  );
}

/** Null if no other account shares its sites. */
function OwnerTable({ account: member }: OfAccount) {
  const { i18n, settings } = useVisit();
  const people = usePeople(settings.store.members.owners(member.id), ({ ownerId }) => ownerId);
  if (people.length === 0) return null;
  return (
    <PageSection id="owners" title="members.owners.caption">
      <TextTable
        caption="members.owners.caption"
        rows={people}
        columns={{
          "members.owners.owner": ({ account: owner, role }) => (
            <a href={ownerPath("/sites", { owner, role })}>
              <UntrustedText>{owner.email}</UntrustedText>
            </a>
          ),
          "members.since": ({ since }) => <Instant at={since} day relative={false} />,
          "members.role": ({ role }) => i18n.t(`members.roles.${role}`),
          "members.action": ({ account: { id, email } }) => (
            <RowAction action={path} hidden={{ do: "leave", account: id }} kind="danger" submit="members.owners.leave" of={{ email }} />
          ),
        }}
      />
    </PageSection>
  );
}

function unsentPage(visit: Visit, { invitation }: IssuedInvitation, url: string): Response {
  const { i18n, settings } = visit;
  return accountPage(visit, {
    title: "members.made.title",
    children: (
      <SecretOnce
        notice={
          <>
            <p>
              {i18n.t("members.made.for", { email: plainUntrustedText(invitation.email), expires: i18n.dateTime(invitation.expiresAt) })}
            </p>
            <Notice kind="warn" text={i18n.t(settings.mail === null ? "members.made.noMail" : "members.made.notSent")} />
          </>
        }
        id="invitation"
        label={i18n.t("members.made.link")}
        value={url}
        copy="members.made.copy"
        copied="members.made.copied"
        back={[path, "members.made.back"]}
      />
    ),
  });
}
