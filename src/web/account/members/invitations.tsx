/** Invitations of members: fields of the form, the open ones, and the page with a link that no mail carries. */
import { Instant } from "../../../report/components/labels.tsx";
import { DataTable } from "../../../report/components/layout.tsx";
import { Notice } from "../../../report/components/notice.tsx";
import { plainUntrustedText, UntrustedText } from "../../../report/components/untrusted-text.tsx";
import { emailCharsMax } from "../../../store/account-index.ts";
import type { Account } from "../../../store/accounts.ts";
import { type IssuedInvitation, type MemberRole, memberInvitationHours, memberRoles } from "../../../store/site-accounts.ts";
import { CopyField } from "../../components/copy-field.tsx";
import { Field, SelectField } from "../../components/field.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";

/** Form values of an invitation, and the error. */
export interface TypedInvitation {
  readonly email: string;
  readonly role: MemberRole;
  readonly error: "emailInvalid" | "own" | "member" | "full";
}

export interface OwnTableProps {
  readonly account: Account;
  readonly action: string;
}

export function InvitationFields({ typed }: { readonly typed: TypedInvitation | null }) {
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
export function InvitationTable({ account, action }: OwnTableProps) {
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

export function UnsentInvitation({ issued: { invitation }, url }: UnsentInvitationProps) {
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
