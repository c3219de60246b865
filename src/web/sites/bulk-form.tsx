/** Actions on several watched sites: the form above the list, the question before a deletion, and the confirmation afterwards. */
import { Notice } from "../../report/components/notice.tsx";
import { type Site, siteNameCharsMax } from "../../store/sites.ts";
import { ActionForm, choiceOf, type FormDescription, FormFields } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import type { Visit } from "../visit.ts";
import { ownerPath, type SiteAccess } from "./site-access.ts";
import { SiteNames } from "./site-names.tsx";
import { paramsOf, type SiteQuery } from "./site-query.ts";
import { bulkFormId, pickedField } from "./site-row.tsx";
import { sitesPage } from "./sites-frame.tsx";

const bulkActions = ["scan", "pause", "resume", "client", "tag", "untag", "delete"] as const;
export type BulkAction = (typeof bulkActions)[number];

export const bulkFields = {
  do: choiceOf(bulkActions, (action) => `sites.bulk.actions.${action}`, { label: "sites.bulk.action", initial: "scan" }),
  /** Client or tag. */
  value: { label: "sites.bulk.value", autocomplete: "off", required: false, maxLength: siteNameCharsMax, trimmed: true },
} satisfies FormDescription;

const countPattern = /^\d{1,6}$/;

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

interface BulkFormProps {
  readonly access: SiteAccess;
  readonly query: SiteQuery;
  readonly error: BulkError | null;
}

/** The checkboxes are in the rows. One button for all actions: the return key must not pause what it should tag. */
export function BulkForm({ access, query, error }: BulkFormProps) {
  const { i18n } = useVisit();
  return (
    <details class="bulk" open={error !== null} data-bulk>
      <summary>
        {i18n.t("sites.bulk.title")} <span class="muted" data-picked data-text={i18n.t("sites.bulk.picked", { count: "{count}" })} />
      </summary>
      <div>
        {error !== null && !error.ofValue && (
          <Notice kind="poor" alert>
            <p>{error.text}</p>
          </Notice>
        )}
        <p>
          <a href={ownerPath("/sites", access, { ...paramsOf(query), select: "all" })} data-pick-all>
            {i18n.t("sites.bulk.pickAll")}
          </a>{" "}
          <a href={ownerPath("/sites", access, paramsOf(query))} data-pick-none>
            {i18n.t("sites.bulk.pickNone")}
          </a>
        </p>
        <ActionForm id={bulkFormId} class="inline" action={ownerPath("/sites", access, paramsOf(query))} submit="sites.bulk.apply">
          <FormFields
            form={bulkFields}
            values={error && { do: error.action, value: error.value }}
            errors={error?.ofValue === true ? new Map([["value", error.text]]) : null}
          />
        </ActionForm>
      </div>
    </details>
  );
}

interface Question {
  readonly access: SiteAccess;
  readonly sites: readonly Site[];
  /** Where the answer is sent, and where the list is. */
  readonly action: string;
  readonly cancel: string;
}

/** Asks before sites are deleted. A page of its own works without script. */
export function deletionPage(visit: Visit, { access, sites, action, cancel }: Question): Response {
  const { i18n } = visit;
  return sitesPage(visit, {
    title: i18n.count("sites.deletion.title", sites.length),
    access,
    children: (
      <>
        <p>{i18n.t("sites.deletion.what")}</p>
        <SiteNames sites={sites} />
        <ActionForm
          action={action}
          hidden={{ do: "delete", confirm: "yes" }}
          kind="danger"
          submit={({ i18n }) => i18n.count("sites.deletion.confirm", sites.length)}
          cancel={cancel}
        >
          {sites.map(({ id }) => (
            <input key={id} type="hidden" name={pickedField} value={id} />
          ))}
        </ActionForm>
      </>
    ),
  });
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
  const because = action === "import" ? "leftOut" : action === "tag" ? "fullTags" : "left";
  return `${text} ${i18n.count(`sites.done.${because}`, left)}`;
}
