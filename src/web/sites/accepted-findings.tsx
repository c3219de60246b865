/** Open findings of a watched site, those that its owner accepts, and the forms for both. */
import { Instant } from "../../report/components/labels.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument } from "../../report/context.ts";
import { FindingTitle, findingTitle } from "../../report/findings.tsx";
import { type OpenFinding, openFindings, type SiteState } from "../../store/site-runs.ts";
import { type AcceptedFinding, acceptedReasonCharsMax, type Site } from "../../store/sites.ts";
import { ActionForm, type FormDescription, FormFields, type FormValues, RowAction } from "../components/forms.tsx";
import { PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { sitePath } from "./site-access.ts";

const dayChars = 10;

export const acceptForm = {
  // The page offers the open findings.
  code: { control: "select", label: "sites.open.finding", options: [] },
  reason: {
    label: "sites.accepted.reason",
    hint: "sites.accepted.reasonHint",
    autocomplete: "off",
    maxLength: acceptedReasonCharsMax,
  },
  until: {
    label: "sites.accepted.until",
    hint: "sites.accepted.untilHint",
    autocomplete: "off",
    required: false,
    maxLength: dayChars,
    verbatim: true,
    trimmed: true,
  },
} satisfies FormDescription;

/** Acceptance that was refused. */
export interface TypedAcceptance extends FormValues<typeof acceptForm> {
  readonly errors: ReadonlyMap<string, string>;
}

interface FindingsProps {
  readonly site: Site;
  readonly state: SiteState;
  readonly editable: boolean;
  readonly typed: TypedAcceptance | null;
}

export function OpenFindings({ site, state }: Pick<FindingsProps, "site" | "state">) {
  const { i18n, now } = useVisit();
  const open = openFindings(site, state, now);
  const pagesColumn = { numeric: true, cell: ({ urls }: OpenFinding) => i18n.number(urls.length) };
  return (
    <PageSection id="open" title="sites.open.title">
      {open.length === 0 ? (
        <p>{i18n.t(site.reading === null ? "sites.open.notYet" : "sites.open.none")}</p>
      ) : (
        <TextTable
          caption="sites.open.title"
          rows={open}
          columns={{
            "sites.open.finding": (finding) => <FindingTitle {...finding} />,
            "sites.open.since": ({ since }) => <Instant at={since} day />,
            "sites.open.pages": site.pages.length === 0 ? undefined : pagesColumn,
          }}
        />
      )}
    </PageSection>
  );
}

export function AcceptedFindings({ site, state, editable, typed }: FindingsProps) {
  const { i18n, now } = useVisit();
  const open = openFindings(site, state, now);
  return (
    <PageSection id="accepted" title="sites.accepted.title">
      <p class="muted">{i18n.t("sites.accepted.what")}</p>
      {site.accepted.length > 0 && <AcceptedTable site={site} state={state} editable={editable} />}
      {editable && (open.length > 0 || typed !== null) && <AcceptForm site={site} open={open} typed={typed} />}
    </PageSection>
  );
}

function AcceptedTable({ site, state, editable }: Omit<FindingsProps, "typed">) {
  const { i18n, now } = useVisit();
  const { texts } = useDocument();
  const checkKeyOf = (code: string) => state.findings[code]?.checkKey ?? texts.checkDeclaring(code) ?? "";
  const titleOf = (code: string) => findingTitle(texts, i18n.locale, { code, checkKey: checkKeyOf(code) });
  const ended = ({ until }: AcceptedFinding) => until !== null && until < now.toISOString().slice(0, dayChars);
  const withdraw = ({ code }: AcceptedFinding) => (
    <RowAction
      action={sitePath(site)}
      hidden={{ do: "withdraw", code }}
      kind="plain"
      submit="sites.accepted.withdraw"
      of={{ title: titleOf(code) }}
    />
  );
  return (
    <TextTable
      caption="sites.accepted.title"
      rows={site.accepted}
      columns={{
        "sites.open.finding": ({ code }) => <UntrustedText>{titleOf(code)}</UntrustedText>,
        "sites.accepted.reason": ({ reason }) => <UntrustedText>{reason}</UntrustedText>,
        "sites.accepted.until": (accepted) => (
          <>
            {accepted.until === null ? (
              i18n.t("sites.accepted.forever")
            ) : (
              <time dateTime={accepted.until}>{i18n.date(accepted.until)}</time>
            )}
            {ended(accepted) && <span class="muted"> ({i18n.t("sites.accepted.ended")})</span>}
          </>
        ),
        "sites.accepted.since": ({ acceptedAt }) => <Instant at={acceptedAt} day relative={false} />,
        "sites.accepted.withdraw": editable ? { unseen: true, cell: withdraw } : undefined,
      }}
    />
  );
}

function AcceptForm({ site, open, typed }: Pick<FindingsProps, "site" | "typed"> & { readonly open: readonly OpenFinding[] }) {
  const { i18n } = useVisit();
  const { texts } = useDocument();
  const options = open.map(({ code, checkKey }) => ({ value: code, text: findingTitle(texts, i18n.locale, { code, checkKey }) }));
  return (
    <details open={typed !== null}>
      <summary>{i18n.t("sites.accepted.form")}</summary>
      <ActionForm action={sitePath(site)} hidden={{ do: "accept" }} submit="sites.accepted.submit">
        <FormFields form={acceptForm} values={typed} errors={typed?.errors} onPage={{ code: { options } }} />
      </ActionForm>
    </details>
  );
}
