/** Open findings of a watched site, those that its owner accepts, and the forms for both. */
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument } from "../../report/context.ts";
import { FindingTitle, findingTitle } from "../../report/findings.tsx";
import { type OpenFinding, openFindings, type SiteState } from "../../store/site-runs.ts";
import { type AcceptedFinding, acceptedReasonCharsMax, type Site } from "../../store/sites.ts";
import { Field, SelectField } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import { sitePath } from "./site-access.ts";
import type { SiteFaultField } from "./site-fault-text.ts";

const dayChars = 10;

/** Acceptance that was refused. */
export interface TypedAcceptance {
  readonly code: string;
  readonly reason: string;
  readonly until: string;
  readonly faults: ReadonlyMap<SiteFaultField, string>;
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
  return (
    <section aria-labelledby="open">
      <h2 id="open">{i18n.t("sites.open.title")}</h2>
      {open.length === 0 ? (
        <p>{i18n.t(site.reading === null ? "sites.open.notYet" : "sites.open.none")}</p>
      ) : (
        <DataTable
          caption={i18n.t("sites.open.title")}
          captionUnseen
          rows={open}
          columns={[
            { label: i18n.t("sites.open.finding"), cell: (finding) => <FindingTitle {...finding} /> },
            { label: i18n.t("sites.open.since"), cell: ({ since }) => <Instant at={since} day /> },
            ...(site.pages.length === 0
              ? []
              : [{ label: i18n.t("sites.open.pages"), numeric: true, cell: ({ urls }: OpenFinding) => i18n.number(urls.length) }]),
          ]}
        />
      )}
    </section>
  );
}

export function AcceptedFindings({ site, state, editable, typed }: FindingsProps) {
  const { i18n, now } = useVisit();
  const open = openFindings(site, state, now);
  return (
    <section aria-labelledby="accepted">
      <h2 id="accepted">{i18n.t("sites.accepted.title")}</h2>
      <p class="muted">{i18n.t("sites.accepted.what")}</p>
      {site.accepted.length > 0 && <AcceptedTable site={site} state={state} editable={editable} />}
      {editable && (open.length > 0 || typed !== null) && <AcceptForm site={site} open={open} typed={typed} />}
    </section>
  );
}

function AcceptedTable({ site, state, editable }: Omit<FindingsProps, "typed">) {
  const { i18n, now } = useVisit();
  const { texts } = useDocument();
  const checkKeyOf = (code: string) => state.findings[code]?.checkKey ?? texts.checkDeclaring(code) ?? "";
  const titleOf = (code: string) => findingTitle(texts, i18n.locale, { code, checkKey: checkKeyOf(code) });
  const ended = ({ until }: AcceptedFinding) => until !== null && until < now.toISOString().slice(0, dayChars);
  const withdraw = { label: i18n.t("sites.accepted.withdraw"), unseen: true };
  return (
    <DataTable
      caption={i18n.t("sites.accepted.title")}
      captionUnseen
      rows={site.accepted}
      columns={[
        { label: i18n.t("sites.open.finding"), cell: ({ code }) => <UntrustedText>{titleOf(code)}</UntrustedText> },
        { label: i18n.t("sites.accepted.reason"), cell: ({ reason }) => <UntrustedText>{reason}</UntrustedText> },
        {
          label: i18n.t("sites.accepted.until"),
          cell: (accepted) => (
            <>
              {accepted.until === null ? (
                i18n.t("sites.accepted.forever")
              ) : (
                <time dateTime={accepted.until}>{i18n.date(accepted.until)}</time>
              )}
              {ended(accepted) && <span class="muted"> ({i18n.t("sites.accepted.ended")})</span>}
            </>
          ),
        },
        { label: i18n.t("sites.accepted.since"), cell: ({ acceptedAt }) => <Instant at={acceptedAt} day relative={false} /> },
        ...(editable
          ? [{ ...withdraw, cell: ({ code }: AcceptedFinding) => <Withdraw site={site} code={code} title={titleOf(code)} /> }]
          : []),
      ]}
    />
  );
}

function Withdraw({ site, code, title }: { readonly site: Site; readonly code: string; readonly title: string }) {
  const { i18n } = useVisit();
  return (
    <Form action={sitePath(site)}>
      <input type="hidden" name="do" value="withdraw" />
      <input type="hidden" name="code" value={code} />
      <SubmitButton kind="plain" compact label={i18n.t("sites.accepted.withdrawOf", { title })}>
        {i18n.t("sites.accepted.withdraw")}
      </SubmitButton>
    </Form>
  );
}

interface AcceptFormProps {
  readonly site: Site;
  readonly open: readonly OpenFinding[];
  readonly typed: TypedAcceptance | null;
}

function AcceptForm({ site, open, typed }: AcceptFormProps) {
  const { i18n } = useVisit();
  const { texts } = useDocument();
  return (
    <details open={typed !== null}>
      <summary>{i18n.t("sites.accepted.form")}</summary>
      <Form action={sitePath(site)}>
        <input type="hidden" name="do" value="accept" />
        <SelectField
          name="code"
          label={i18n.t("sites.open.finding")}
          value={typed?.code ?? ""}
          options={open.map(({ code, checkKey }) => ({ value: code, text: findingTitle(texts, i18n.locale, { code, checkKey }) }))}
          error={typed?.faults.get("code")}
        />
        <Field
          name="reason"
          label={i18n.t("sites.accepted.reason")}
          hint={i18n.t("sites.accepted.reasonHint")}
          autocomplete="off"
          value={typed?.reason ?? ""}
          maxLength={acceptedReasonCharsMax}
          error={typed?.faults.get("reason")}
        />
        <Field
          name="until"
          label={i18n.t("sites.accepted.until")}
          hint={i18n.t("sites.accepted.untilHint")}
          autocomplete="off"
          required={false}
          value={typed?.until ?? ""}
          maxLength={dayChars}
          verbatim
          error={typed?.faults.get("until")}
        />
        <SubmitButton>{i18n.t("sites.accepted.submit")}</SubmitButton>
      </Form>
    </details>
  );
}
