/** `/admin/users`: accounts with plan and state, and the forms that change them. */

import { changeAccountState, changePlan } from "../../account/account-operations.ts";
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { emailCharsMax } from "../../store/account-index.ts";
import { type Account, plans } from "../../store/accounts.ts";
import { accountActor } from "../../store/audit.ts";
import { pageOf } from "../../store/page.ts";
import { Field } from "../components/field.tsx";
import { Pagination } from "../components/pagination.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { formMalformed, notFound } from "../errors.ts";
import { Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import { cursorOf, listPath } from "../scans/list-query.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { adminPage } from "./admin-page.tsx";
import { type InvitationDraft, InvitationForm, invitationPage, makeInvitation } from "./invitation.tsx";

const path = "/admin/users";
const accountsPerPage = 50;

/** Confirmations, named by the query parameter `done`. */
const confirmations = ["plan", "disabled", "enabled", "self"] as const;
type Confirmation = (typeof confirmations)[number];

export const getAdminUsers: GetFor<"administrators"> = (visit) => usersPage(visit);

export const postUserPlan: PostFor<"administrators"> = async (visit, admin, fields, id) => {
  const planName = fields.text("plan");
  const plan = plans.find((one) => one === planName);
  if (plan === undefined) throw formMalformed();
  const changed = await changePlan(visit.settings, accountActor(admin), { id: accountIdOf(id), plan });
  if ("refused" in changed) throw notFound();
  return done(visit, "plan");
};

export const postUserState: PostFor<"administrators"> = async (visit, admin, fields, id) => {
  const state = fields.text("state");
  if (state !== "disabled" && state !== "enabled") throw formMalformed();
  const changed = await changeAccountState(visit.settings, accountActor(admin), { id: accountIdOf(id), disabled: state === "disabled" });
  if ("done" in changed) return done(visit, state);
  if (changed.refused === "self") return done(visit, "self");
  throw notFound();
};

export const postInvitation: PostFor<"administrators"> = async (visit, admin, fields) => {
  const created = await makeInvitation(visit, admin, fields);
  return "link" in created ? invitationPage(visit, admin, created) : usersPage(visit, created);
};

function done(visit: Visit, confirmation: Confirmation): Response {
  return redirect(visit, `/admin/users?done=${confirmation}`);
}

/** 0, which no account has, for anything but an id. */
function accountIdOf(id: string | null): number {
  return id !== null && /^\d{1,9}$/.test(id) ? Number(id) : 0;
}

/** `typed`: an invitation that failed. */
function usersPage(visit: SignedInVisit, typed: InvitationDraft | null = null): Response {
  const { i18n, url, account, settings } = visit;
  const search = (url.searchParams.get("q") ?? "").slice(0, emailCharsMax).trim();
  const cursor = cursorOf(url.searchParams);
  const all = settings.store.accounts.list();
  const found = all.filter(({ id, email }) => (cursor === null || id < cursor) && email.toLowerCase().includes(search.toLowerCase()));
  const { items, nextCursor } = pageOf(found.toReversed(), accountsPerPage);
  const confirmation = confirmations.find((one) => one === url.searchParams.get("done"));
  return adminPage(visit, {
    title: "admin.users.title",
    status: typed === null ? 200 : 400,
    children: (
      <>
        {confirmation !== undefined && (
          <Notice kind={confirmation === "self" ? "warn" : "good"} alert>
            <p>{i18n.t(`admin.users.done.${confirmation}`)}</p>
          </Notice>
        )}
        <p>{i18n.count("admin.users.count", all.length)}</p>
        <search>
          <form method="get" action={path} class="inline">
            <Field
              name="q"
              type="search"
              label={i18n.t("admin.users.search")}
              value={search}
              maxLength={emailCharsMax}
              required={false}
              verbatim
            />
            <SubmitButton kind="plain">{i18n.t("admin.users.find")}</SubmitButton>
          </form>
        </search>
        {items.length === 0 ? <p>{i18n.t("admin.users.none")}</p> : <AccountTable accounts={items} ownId={account.id} />}
        <Pagination
          first={cursor === null ? null : listPath(path, { q: search }, null)}
          next={nextCursor === null ? null : listPath(path, { q: search }, nextCursor)}
        />
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
    <DataTable
      caption={i18n.t("admin.users.caption")}
      captionUnseen
      rows={accounts}
      rowId={({ id }) => `account-${id}`}
      columns={[
        {
          label: i18n.t("admin.users.email"),
          cell: ({ id, email }) => (
            <>
              <UntrustedText>{email}</UntrustedText> {id === ownId && <span class="muted">({i18n.t("admin.users.you")})</span>}
            </>
          ),
        },
        { label: i18n.t("admin.users.role"), cell: ({ admin }) => i18n.t(admin ? "admin.users.roles.admin" : "admin.users.roles.user") },
        { label: i18n.t("admin.users.created"), cell: ({ createdAt }) => <Instant at={createdAt} day relative={false} /> },
        { label: i18n.t("admin.users.plan"), cell: (account) => <PlanForm account={account} /> },
        {
          label: i18n.t("admin.users.state"),
          cell: (account) => (
            <>
              {i18n.t(account.disabled ? "admin.users.states.disabled" : "admin.users.states.enabled")}{" "}
              {account.id !== ownId && <StateForm account={account} />}
            </>
          ),
        },
      ]}
    />
  );
}

function PlanForm({ account: { id, email, plan } }: { readonly account: Account }) {
  const { i18n } = useVisit();
  return (
    <Form action={`/admin/users/${id}/plan`}>
      <select name="plan" aria-label={i18n.t("admin.users.planOf", { email })}>
        {plans.map((one) => (
          <option key={one} value={one} selected={one === plan}>
            {i18n.t(`plans.names.${one}`)}
          </option>
        ))}
      </select>{" "}
      <SubmitButton kind="plain" compact label={i18n.t("admin.users.setPlanOf", { email })}>
        {i18n.t("admin.users.setPlan")}
      </SubmitButton>
    </Form>
  );
}

function StateForm({ account: { id, email, disabled } }: { readonly account: Account }) {
  const { i18n } = useVisit();
  return (
    <Form action={`/admin/users/${id}/state`}>
      <input type="hidden" name="state" value={disabled ? "enabled" : "disabled"} />
      <SubmitButton
        kind={disabled ? "plain" : "danger"}
        compact
        label={i18n.t(disabled ? "admin.users.enableOf" : "admin.users.disableOf", { email })}
      >
        {i18n.t(disabled ? "admin.users.enable" : "admin.users.disable")}
      </SubmitButton>
    </Form>
  );
}
