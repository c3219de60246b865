/** Actions on several watched sites: their form below the filter of the list, their question and their outcome. */
import { type Site, siteNameCharsMax } from "../../store/sites.ts";
import { ActionForm, choiceOf, type FormDescription, FormFields } from "../components/forms.tsx";
import { Alert } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { locationChoice } from "../scans/form.tsx";
import type { Visit } from "../visit.ts";
import { ownerPath, type SiteAccess } from "./site-access.ts";
import { paramsOf, type SiteQuery } from "./site-query.ts";
import { bulkFormId, pickedField } from "./site-row.tsx";
import { SiteNames, sitesPage } from "./sites-frame.tsx";

const bulkActions = ["scan", "pause", "resume", "client", "tag", "untag", "schedule", "location", "accept", "delete"] as const;
export type BulkAction = (typeof bulkActions)[number];

export const bulkFields = {
  do: choiceOf(bulkActions, (action) => `sites.bulk.actions.${action}`, { label: "sites.bulk.action", initial: "scan" }),
  /** Client or tag. The values of other actions have a page of their own. */
  value: { label: "sites.bulk.value", autocomplete: "off", required: false, maxLength: siteNameCharsMax, trimmed: true },
} satisfies FormDescription;

const countPattern = /^\d{1,6}$/;

/** Field with the ids of chosen sites, separated by blanks: beyond the sites of a page. */
export const allPickedField = "sites";

/** Action on several sites that failed. */
export interface BulkError {
  readonly text: string;
  /** Sites that were chosen. */
  readonly ids: ReadonlySet<number>;
  readonly action: BulkAction;
  /** Typed client or tag. */
  readonly value: string;
  /** True if the value is wrong. */
  readonly ofValue: boolean;
}

/** Sites that an action will reach. */
export interface PickedSites {
  readonly ids: ReadonlySet<number>;
  /** Some are on other pages: the form names them all, and no single one can be left out. */
  readonly isBeyondPage: boolean;
}

interface BulkFormProps {
  readonly access: SiteAccess;
  readonly query: SiteQuery;
  readonly picked: PickedSites;
  /** Sites of the filter, and how many of them are on the page. */
  readonly matching: number;
  readonly onPage: number;
  readonly error: BulkError | null;
}

/** The checkboxes are in the rows. One button for all actions: the return key must not pause what it should tag. */
export function BulkForm({ access, query, picked, error, ...sizes }: BulkFormProps) {
  const visit = useVisit();
  const { i18n } = visit;
  const isOffered = (action: BulkAction) => action !== "location" || locationChoice(visit, undefined) !== null;
  const offered = bulkActions.filter(isOffered).map((action) => ({ value: action, text: i18n.t(`sites.bulk.actions.${action}`) }));
  return (
    <details class="bulk" open={error !== null || picked.ids.size > 0} data-bulk>
      <summary>
        {i18n.t("sites.bulk.title")}{" "}
        <span class="muted" role="status" data-picked data-text={i18n.t("sites.bulk.picked", { count: "{count}" })}>
          {picked.ids.size > 0 && i18n.t("sites.bulk.picked", { count: i18n.number(picked.ids.size) })}
        </span>
      </summary>
      <div>
        <Alert kind="poor">{error?.ofValue === false ? error.text : null}</Alert>
        <PickLinks access={access} query={query} picked={picked} {...sizes} />
        <ActionForm id={bulkFormId} class="inline" action={ownerPath("/sites", access, paramsOf(query))} submit="sites.bulk.apply">
          <FormFields
            form={bulkFields}
            values={error && { do: error.action, value: error.value }}
            onPage={{ do: { options: offered } }}
            errors={error?.ofValue === true ? new Map([["value", error.text]]) : null}
          />
        </ActionForm>
      </div>
    </details>
  );
}

function PickLinks({ access, query, picked, matching, onPage }: Omit<BulkFormProps, "error">) {
  const { i18n } = useVisit();
  const link = (select: string) => ownerPath("/sites", access, { ...paramsOf(query), select });
  return (
    <p class="pick-links" data-part="picks" data-beyond={picked.isBeyondPage ? i18n.number(picked.ids.size) : undefined}>
      {picked.isBeyondPage && (
        <>
          <input type="hidden" name={allPickedField} value={[...picked.ids].join(" ")} form={bulkFormId} />
          <span>{i18n.count("sites.bulk.beyond", picked.ids.size)}</span>
        </>
      )}
      <a id="pick-page" href={link("page")}>
        {i18n.count("sites.bulk.pickPage", onPage)}
      </a>
      {matching > onPage && (
        <a id="pick-all" href={link("all")}>
          {i18n.count("sites.bulk.pickAll", matching)}
        </a>
      )}
      <a id="pick-none" href={link("none")}>
        {i18n.t("sites.bulk.pickNone")}
      </a>
    </p>
  );
}

/** Asks before sites are deleted, at `path`. A page of its own works without script. */
export function deletionPage(visit: Visit, access: SiteAccess, sites: readonly Site[], path: string): Response {
  return sitesPage(visit, {
    title: visit.i18n.count("sites.deletion.title", sites.length),
    access,
    children: (
      <>
        <p>{visit.i18n.t("sites.deletion.what")}</p>
        <SiteNames sites={sites} />
        <ActionForm
          action={path}
          hidden={{ do: "delete", confirm: "yes" }}
          kind="danger"
          submit={({ i18n }) => i18n.count("sites.deletion.confirm", sites.length)}
          cancel={path}
        >
          {sites.map(({ id }) => (
            <input key={id} type="hidden" name={pickedField} value={id} />
          ))}
        </ActionForm>
      </>
    ),
  });
}

/** Query parameters for the sentence on an action. `left`: sites or lines that it left out. */
export function bulkOutcome(done: BulkAction | "import", count: number, left: number): Readonly<Record<string, string>> {
  return { done, count: String(count), left: left === 0 ? "" : String(left) };
}

/** Sentence on the action that led here; null without one. `?done=` and its figures come from the address, so they only choose texts. */
export function bulkConfirmation({ i18n, url: { searchParams } }: Visit): string | null {
  const done = searchParams.get("done");
  const figure = (name: string) => (countPattern.test(searchParams.get(name) ?? "") ? Number(searchParams.get(name)) : 0);
  const action = [...bulkActions, "import" as const].find((one) => one === done);
  if (action === undefined) return null;
  const text = i18n.count(`sites.done.${action}`, figure("count"));
  const left = figure("left");
  if (left === 0) return text;
  const because = { import: "leftOut", tag: "fullTags", accept: "fullAccepted" } as const;
  return `${text} ${i18n.count(`sites.done.${action in because ? because[action as keyof typeof because] : "left"}`, left)}`;
}
