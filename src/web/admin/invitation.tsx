/** Invitations: the form on `/admin/users`, and the page that shows a link once. */

import { inviteAccount } from "../../account/account-operations.ts";
import type { NoticeOutcome } from "../../deliver/notices.ts";
import { Notice } from "../../report/components/notice.tsx";
import { emailCharsMax } from "../../store/account-index.ts";
import { type Account, type Plan, plans } from "../../store/accounts.ts";
import { accountActor } from "../../store/audit.ts";
import type { IssuedLink } from "../../store/one-time-links.ts";
import { CopyField } from "../components/copy-field.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import { linkPath } from "../link-paths.ts";
import { publicOrigin, type Visit } from "../visit.ts";
import { adminPage } from "./admin-page.tsx";

/** Form values of an invitation, and the error. */
export interface InvitationDraft {
  readonly email: string;
  readonly plan: Plan;
  readonly error: "emailInvalid" | "emailTaken" | "full";
}

/** @throws PageError 400 for values that the form cannot send. */
export async function makeInvitation({ settings }: Visit, admin: Account, fields: Fields): Promise<IssuedLink | InvitationDraft> {
  const email = fields
    .text("email")
    .slice(0, emailCharsMax + 1)
    .trim();
  const plan = plans.find((one) => one === fields.text("plan"));
  if (plan === undefined) throw formMalformed();
  const invited = await inviteAccount(settings, accountActor(admin), { email: email === "" ? null : email, plan, admin: false });
  if ("done" in invited) return invited.done;
  if (invited.refused === "closed") throw formMalformed();
  return { email, plan, error: ({ "email-invalid": "emailInvalid", "email-taken": "emailTaken", full: "full" } as const)[invited.refused] };
}

/** `outcome`: of the mail; undefined if none was sent. */
function InvitationNotice({ outcome }: { readonly outcome: NoticeOutcome | undefined }) {
  const { i18n, settings } = useVisit();
  const unsent = settings.mail === null ? "made" : "madeForYou";
  const text = outcome === undefined ? unsent : outcome === "sent" ? "sent" : "notSent";
  return (
    <Notice kind={text === "sent" ? "good" : "warn"}>
      <p>{i18n.t(`admin.invitation.${text}`)}</p>
    </Notice>
  );
}

export function InvitationForm({ typed }: { readonly typed: InvitationDraft | null }) {
  const { i18n, settings } = useVisit();
  return (
    <section aria-labelledby="invite-title" id="invite">
      <h2 id="invite-title">{i18n.t("admin.invitation.title")}</h2>
      {settings.config["accounts.signup"] === "closed" ? <p>{i18n.t("admin.invitation.closed")}</p> : <OpenForm typed={typed} />}
    </section>
  );
}

function OpenForm({ typed }: { readonly typed: InvitationDraft | null }) {
  const { i18n, settings } = useVisit();
  return (
    <Form action="/admin/invitations">
      <Field
        name="email"
        type="email"
        label={i18n.t("admin.invitation.email")}
        hint={i18n.t("admin.invitation.emailHint")}
        error={typed === null ? undefined : i18n.t(`admin.invitation.errors.${typed.error}`)}
        value={typed?.email ?? ""}
        maxLength={emailCharsMax}
        autocomplete="off"
        required={false}
      />
      <SelectField
        name="plan"
        label={i18n.t("admin.invitation.plan")}
        options={plans.map((plan) => ({ value: plan, text: i18n.t(`plans.names.${plan}`) }))}
        value={typed?.plan ?? settings.config["accounts.default_plan"]}
      />
      <SubmitButton>{i18n.t("admin.invitation.create")}</SubmitButton>
    </Form>
  );
}

/** Mails the link if it has an address; shows it in any case. */
export async function invitationPage(visit: Visit, admin: Account, { link, value }: IssuedLink): Promise<Response> {
  const { i18n, settings } = visit;
  const expires = i18n.dateTime(link.expiresAt);
  const address = `${publicOrigin(visit)}${linkPath("invite", value)}`;
  const invited = link.email === null ? null : { email: link.email, locale: i18n.locale };
  const outcome = invited === null ? undefined : await settings.mail?.invitation(admin, invited, address, link.expiresAt);
  return adminPage(visit, {
    title: "admin.invitation.madeTitle",
    children: (
      <>
        <p>
          {link.email === null
            ? i18n.t("admin.invitation.forAnyone", { expires })
            : i18n.t("admin.invitation.for", { email: link.email, expires })}
        </p>
        <InvitationNotice outcome={outcome} />
        <CopyField
          id="invitation"
          label={i18n.t("admin.invitation.link")}
          value={address}
          copy={i18n.t("admin.invitation.copy")}
          copied={i18n.t("admin.invitation.copied")}
        />
        <p>
          <a href="/admin/users">{i18n.t("admin.invitation.back")}</a>
        </p>
      </>
    ),
  });
}
