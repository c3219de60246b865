/** `/admin/audit`: who changed what, newest first, filtered by actor and action. */

import { emailCharsMax } from "../../parse/mail/address.ts";
import { Instant } from "../../report/components/labels.tsx";
import { UntrustedText, untranslated } from "../../report/components/untrusted-text.tsx";
import { type Actor, type AuditAction, type AuditEntry, type AuditQuery, accountActor, auditActions } from "../../store/audit.ts";
import { type FormDescription, FormFields, SearchForm } from "../components/forms.tsx";
import { Pagination } from "../components/navigation.tsx";
import { EmptyState, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor } from "../guards.ts";
import { adminPage } from "../private-page.tsx";
import { cursorOf, listPath } from "../scans/list-query.ts";
import type { Visit } from "../visit.ts";

const path = "/admin/audit";
const entriesPerPage = 50;
/** Entries that are read for a page with a filter: a few milliseconds. The rest is on the pages after it. */
const readMax = 2_000;
/** Actors that are no account, by the word that finds them. */
const actorWords = ["cli", "server", "visitor"] as const;

const searchForm = {
  by: { control: "search", label: "admin.audit.by", hint: "admin.audit.byHint", maxLength: emailCharsMax, required: false, verbatim: true },
  action: {
    control: "select",
    label: "admin.audit.action",
    options: ({ i18n }) => [
      { value: "", text: i18n.t("admin.audit.allActions") },
      ...auditActions.map((each) => ({ value: each, text: i18n.t(`admin.audit.actions.${each}`) })),
    ],
  },
} satisfies FormDescription;

interface Filter {
  /** Mail address, number of an account or one of `actorWords`, as typed. */
  readonly typed: string;
  /** Null: no such account. */
  readonly actor: AuditQuery["actor"] | null;
  readonly action: AuditAction | undefined;
  readonly cursor: number | null;
}

function filterOf({ url: { searchParams }, settings: { store } }: Visit): Filter {
  const typed = (searchParams.get("by") ?? "").slice(0, emailCharsMax).trim();
  return {
    typed,
    actor: typed === "" ? undefined : actorNamed(typed, (email) => store.accounts.findByEmail(email)?.id),
    action: auditActions.find((action) => action === searchParams.get("action")),
    cursor: cursorOf(searchParams),
  };
}

function actorNamed(typed: string, idOf: (email: string) => number | undefined): AuditQuery["actor"] | null {
  const kind = actorWords.find((word) => word === typed.toLowerCase());
  if (kind !== undefined) return { kind };
  const id = /^\d{1,9}$/.test(typed) ? Number(typed) : idOf(typed);
  return id === undefined ? null : accountActor({ id });
}

export const getAudit: GetFor<"administrators"> = (visit) => {
  const filter = filterOf(visit);
  const errors = filter.actor === null ? new Map([["by", visit.i18n.t("admin.audit.nobody")]]) : null;
  return adminPage(visit, {
    title: "admin.audit.title",
    lead: visit.i18n.t("admin.audit.intro"),
    children: (
      <>
        <SearchForm action={path} submit="admin.audit.find">
          <FormFields form={searchForm} values={{ by: filter.typed, action: filter.action ?? "" }} errors={errors} />
        </SearchForm>
        {filter.actor !== null && <Entries filter={filter} actor={filter.actor} />}
      </>
    ),
  });
};

function Entries({ filter, actor }: { readonly filter: Filter; readonly actor: AuditQuery["actor"] }) {
  const { i18n, settings } = useVisit();
  const { typed, action, cursor } = filter;
  const { items, nextCursor } = settings.store.audit.list({ limit: entriesPerPage, cursor, readMax, actor, action });
  return (
    <>
      {items.length > 0 && <EntryTable entries={items} />}
      {items.length === 0 && (
        <EmptyState
          title={nextCursor === null ? i18n.t("admin.audit.none") : i18n.t("admin.audit.noneAmong", { count: i18n.number(readMax) })}
        />
      )}
      <Pagination cursor={cursor} next={nextCursor} pathOf={(at) => listPath(path, { by: typed, action: action ?? "" }, at)} />
    </>
  );
}

function EntryTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const { i18n } = useVisit();
  return (
    <TextTable
      caption="admin.audit.title"
      rows={entries}
      rowId={({ id }) => `entry-${id}`}
      columns={{
        "admin.audit.at": ({ at }) => <Instant at={at} />,
        "admin.audit.by": ({ actor }) => <ActorName actor={actor} />,
        "admin.audit.action": ({ action }) => i18n.t(`admin.audit.actions.${action}`),
        "admin.audit.subject": ({ subject }) => subject !== null && <Subject subject={subject} />,
        "admin.audit.details": ({ details }) => <Details details={details} />,
      }}
    />
  );
}

function ActorName({ actor }: { readonly actor: Actor }) {
  const { i18n } = useVisit();
  if (actor.kind === "account") return <AccountName id={actor.id} />;
  if (actor.kind !== "cli") return i18n.t(`admin.audit.actors.${actor.kind}`);
  return (
    <>
      {i18n.t("admin.audit.actors.cli")} <UntrustedText>{actor.user}</UntrustedText>
    </>
  );
}

/** The mail address of today; the log itself has only the number. */
function AccountName({ id }: { readonly id: number }) {
  const { i18n, settings } = useVisit();
  const account = settings.store.accounts.findById(id);
  return account === undefined ? i18n.t("admin.audit.account", { id: String(id) }) : <UntrustedText>{account.email}</UntrustedText>;
}

function Subject({ subject: { kind, id } }: { readonly subject: NonNullable<AuditEntry["subject"]> }) {
  const { i18n } = useVisit();
  if (kind === "account") return <AccountName id={Number(id)} />;
  return (
    <>
      {i18n.t(`admin.audit.subjects.${kind}`)} <UntrustedText>{String(id)}</UntrustedText>
    </>
  );
}

/** Names and values are identifiers of the program, as `assay audit` prints them. */
function Details({ details }: Pick<AuditEntry, "details">) {
  const given = Object.entries(details);
  if (given.length === 0) return null;
  return (
    <code {...untranslated}>{given.map(([name, value]) => `${name}=${value === null ? "none" : JSON.stringify(value)}`).join(" ")}</code>
  );
}
