/** `/admin/users`: accounts with plan and state, and the forms that change them. */
import { changeAccountState, changePlan, inviteAccount } from "../../accounts/account-operations.ts";
import { recordIdOf } from "../../base/record-id.ts";
import type { NoticeOutcome } from "../../channels/notices.ts";
import { emailCharsMax } from "../../parse/mail/address.ts";
import { Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { type Account, type Plan, plans } from "../../store/accounts.ts";
import { accountActor } from "../../store/audit.ts";
import type { IssuedLink } from "../../store/one-time-links.ts";
import { pageOf } from "../../store/page.ts";
import { emailIn } from "../accounts/credentials.tsx";
import { SecretOnce } from "../components/copy-field.tsx";
import { ActionForm, choiceOf, type FormDescription, FormFields, RowAction, SearchForm } from "../components/forms.tsx";
import { Pagination } from "../components/navigation.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { formMalformed, notFound } from "../errors.ts";
import { choiceIn, type Fields } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { linkPath } from "../link-paths.ts";
import { adminPage } from "../private-page.tsx";
import { cursorOf, listPath } from "../scans/list-query.ts";
import { publicOrigin, type SignedInVisit, type Visit } from "../visit.ts";

const path = "/admin/users";
const accountsPerPage = 50;

const outcomes = outcomesOf(path, ["plan", "disabled", "enabled", "self"], (outcome) => `admin.users.done.${outcome}`, ["self"]);

const searchForm = {
  q: { control: "search", label: "admin.users.search", maxLength: emailCharsMax, required: false, verbatim: true },
} satisfies FormDescription;
const invitationForm = {
  email: {
    control: "email",
    label: "admin.invitation.email",
    hint: "admin.invitation.emailHint",
    maxLength: emailCharsMax,
    autocomplete: "off",
    required: false,
  },
  plan: choiceOf(plans, (plan) => `plans.names.${plan}`, { label: "admin.invitation.plan" }),
} satisfies FormDescription;

export const getAdminUsers: GetFor<"administrators"> = (visit) => usersPage(visit);

export const postUserPlan: PostFor<"administrators"> = async (visit, admin, fields, id) => {
  const plan = choiceIn(fields, "plan", plans);
  const changed = await changePlan(visit.settings, accountActor(admin), { id: recordIdOf(id), plan });
  if ("refused" in changed) throw notFound();
  return redirectWith(visit, outcomes, "plan");
};

export const postUserState: PostFor<"administrators"> = async (visit, admin, fields, id) => {
  const state = choiceIn(fields, "state", ["disabled", "enabled"]);
  const changed = await changeAccountState(visit.settings, accountActor(admin), { id: recordIdOf(id), disabled: state === "disabled" });
  if ("done" in changed) return redirectWith(visit, outcomes, state);
  if (changed.refused === "self") return redirectWith(visit, outcomes, "self");
  throw notFound();
};

export const postInvitation: PostFor<"administrators"> = async (visit, admin, fields) => {
  const created = await makeInvitation(visit, admin, fields);
  return "link" in created ? invitationPage(visit, admin, created) : usersPage(visit, created);
};

/** `typed`: an invitation that failed. */
function usersPage(visit: SignedInVisit, typed: InvitationDraft | null = null): Response {
  const { i18n, url, account, settings } = visit;
  const search = (url.searchParams.get("q") ?? "").slice(0, emailCharsMax).trim();
  const cursor = cursorOf(url.searchParams);
  const all = settings.store.accounts.list();
  const found = all.filter(({ id, email }) => (cursor === null || id < cursor) && email.toLowerCase().includes(search.toLowerCase()));
  const { items, nextCursor } = pageOf(found.toReversed(), accountsPerPage);
  return adminPage(visit, {
    title: "admin.users.title",
    status: typed === null ? 200 : 400,
    outcomes,
    children: (
      <>
        <p>{i18n.count("admin.users.count", all.length)}</p>
        <SearchForm action={path} submit="admin.users.find">
          <FormFields form={searchForm} values={{ q: search }} />
        </SearchForm>
        {items.length === 0 ? <p>{i18n.t("admin.users.none")}</p> : <AccountTable accounts={items} ownId={account.id} />}
        <Pagination cursor={cursor} next={nextCursor} pathOf={(at) => listPath(path, { q: search }, at)} />
        <p class="muted">{i18n.t("admin.users.disableMeans")}</p>
        <InvitationForm typed={typed} />
      </>
    ),
  });
}

interface AccountTableProps {
  readonly accounts: readonly Account[];
  /** Account of the administrator who reads the table. */
  readonly ownId: number;
}

function AccountTable({ accounts, ownId }: AccountTableProps) {
  const { i18n } = useVisit();
  return (
    <TextTable
      caption="admin.users.caption"
      rows={accounts}
      rowId={({ id }) => `account-${id}`}
      columns={{
        "admin.users.email": ({ id, email }) => (
          <>
            <UntrustedText>{email}</UntrustedText> {id === ownId && <span class="muted">({i18n.t("admin.users.you")})</span>}
          </>
        ),
        "admin.users.role": ({ admin }) => i18n.t(admin ? "admin.users.roles.admin" : "admin.users.roles.user"),
        "admin.users.created": ({ createdAt }) => <Instant at={createdAt} day relative={false} />,
        "admin.users.plan": (account) => <PlanForm account={account} />,
        "admin.users.state": (account) => (
          <>
            {i18n.t(account.disabled ? "admin.users.states.disabled" : "admin.users.states.enabled")}{" "}
            {account.id !== ownId && <StateForm account={account} />}
          </>
        ),
      }}
    />
  );
}

function PlanForm({ account: { id, email, plan } }: { readonly account: Account }) {
  const { i18n } = useVisit();
  const action = `/admin/users/${id}/plan`;
  return (
    <RowAction action={action} kind="plain" submit="admin.users.setPlan" of={{ email }}>
      <select name="plan" aria-label={i18n.t("admin.users.planOf", { email })}>
        {plans.map((one) => (
          <option key={one} value={one} selected={one === plan}>
            {i18n.t(`plans.names.${one}`)}
          </option>
        ))}
      </select>{" "}
    </RowAction>
  );
}

function StateForm({ account: { id, email, disabled } }: { readonly account: Account }) {
  const action = `/admin/users/${id}/state`;
  if (disabled) return <RowAction action={action} hidden={{ state: "enabled" }} kind="plain" submit="admin.users.enable" of={{ email }} />;
  return <RowAction action={action} hidden={{ state: "disabled" }} kind="danger" submit="admin.users.disable" of={{ email }} />;
}

/** Form values of an invitation, and the error. */
interface InvitationDraft {
  readonly email: string;
  readonly plan: Plan;
  readonly error: "emailInvalid" | "emailTaken" | "full";
}

/** @throws PageError 400 for values that the form cannot send. */
async function makeInvitation({ settings }: Visit, admin: Account, fields: Fields): Promise<IssuedLink | InvitationDraft> {
  const email = emailIn(fields).trim();
  const plan = choiceIn(fields, "plan", plans);
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
  return <Notice kind={text === "sent" ? "good" : "warn"} text={i18n.t(`admin.invitation.${text}`)} />;
}

function InvitationForm({ typed }: { readonly typed: InvitationDraft | null }) {
  const { i18n, settings } = useVisit();
  const { email, plan } = typed ?? { email: "", plan: settings.config["accounts.default_plan"] };
  const errors = typed && new Map([["email", i18n.t(`admin.invitation.errors.${typed.error}`)]]);
  return (
    <PageSection anchor="invite" id="invite-title" title="admin.invitation.title">
      {settings.config["accounts.signup"] === "closed" ? (
        <p>{i18n.t("admin.invitation.closed")}</p>
      ) : (
        <ActionForm action="/admin/invitations" submit="admin.invitation.create">
          <FormFields form={invitationForm} values={{ email, plan }} errors={errors} />
        </ActionForm>
      )}
    </PageSection>
  );
}

/** Mails the link if it has an address; shows it in any case. */
async function invitationPage(visit: Visit, admin: Account, { link, value }: IssuedLink): Promise<Response> {
  const { i18n, settings } = visit;
  const expires = i18n.dateTime(link.expiresAt);
  const address = `${publicOrigin(visit)}${linkPath("invite", value)}`;
  const invited = link.email === null ? null : { email: link.email, locale: i18n.locale };
  const outcome = invited === null ? undefined : await settings.mail?.invitation(admin, invited, address, link.expiresAt);
  return adminPage(visit, {
    title: "admin.invitation.madeTitle",
    children: (
      <SecretOnce
        notice={
          <>
            <p>
              {link.email === null
                ? i18n.t("admin.invitation.forAnyone", { expires })
                : i18n.t("admin.invitation.for", { email: link.email, expires })}
            </p>
            <InvitationNotice outcome={outcome} />
          </>
        }
        id="invitation"
        label={i18n.t("admin.invitation.link")}
        value={address}
        copy="admin.invitation.copy"
        copied="admin.invitation.copied"
        back={[path, "admin.invitation.back"]}
      />
    ),
  });
}
