/** `/checks/{key}`: documentation of a check, generated from catalog and locales. */
import { areaOf, type CheckTexts, type FindingDefinition, type FindingTexts, worstFirst } from "../../check/check.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import { headerFieldsMax } from "../../evidence/limits.ts";
import { suggestedExpiry } from "../../parse/security-txt.ts";
import { EffortMeter, SeverityChip } from "../../report/components/labels.tsx";
import { FactRow, Section } from "../../report/components/layout.tsx";
import { FullRemediation } from "../../report/components/remediation.tsx";
import { ExternalLink, untranslated } from "../../report/components/untrusted-text.tsx";
import { chargeSentence, findingCharge } from "../../text/charge.ts";
import { placeholderSample } from "../../text/i18n.ts";
import { scoreMaxWhileUnread } from "../../text/ledger-rows.ts";
import { linesFor } from "../../text/servers/server-lines.ts";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { areaId, fileOf } from "./checks.tsx";
import { Code } from "./coded.tsx";

/** @throws PageError 404 for an unknown key. */
export function getCheck(visit: Visit, key: string | null): Response {
  const { i18n } = visit;
  const check = visit.settings.catalog.checks.find((one) => one.key === key);
  if (check === undefined) throw notFound();
  const texts = visit.settings.texts.ofCheck(i18n.locale, check.key);
  const label = texts?.label ?? check.key;
  // Equal ones keep the order of the check.
  const worst = Object.entries<FindingDefinition>(check.findings).toSorted(([, one], [, other]) => worstFirst(one, other));
  return page(visit, {
    title: label,
    head: { lead: texts?.reason, breadcrumbs: [{ href: "/checks", text: i18n.t("check.all") }] },
    children: (
      <>
        <Facts check={check} />
        {texts?.method !== undefined && (
          <Section title={i18n.t("check.method")}>
            <p>
              <TextWithCheckLinks text={texts.method} />
            </p>
          </Section>
        )}
        <NotApplicable check={check} texts={texts} />
        <NotChecked check={check} />
        <Section title={i18n.t("check.findings")}>
          <p class="muted">{i18n.t("check.sampled")}</p>
          {worst.map(([code, definition]) => (
            <FindingReference
              key={code}
              code={code}
              definition={definition}
              charge={findingCharge(check, definition, i18n)}
              texts={texts?.findings[code]}
            />
          ))}
        </Section>
        {check.standards !== undefined && check.standards.length > 0 && (
          <Section title={i18n.t("check.standards")}>
            <Standards names={check.standards} />
          </Section>
        )}
      </>
    ),
  });
}

function Facts({ check }: { readonly check: CheckDefinition }) {
  const {
    i18n,
    settings: { catalog },
  } = useVisit();
  const area = areaOf(check);
  const file = fileOf(catalog, check.key);
  return (
    <dl>
      <FactRow name={i18n.t("check.key")}>
        <Code text={check.key} />
      </FactRow>
      <FactRow name={i18n.t("check.area")}>
        <a href={`/checks#${areaId(area)}`}>{i18n.t(`checks.areas.${area}`)}</a>
      </FactRow>
      <FactRow name={i18n.t("check.weight")}>{chargeSentence(check, i18n)}</FactRow>
      <FactRow name={i18n.t("check.origin")}>{file === null ? i18n.t("check.builtIn") : i18n.t("checks.fromFile", { file })}</FactRow>
      {file !== null && (
        <FactRow name={i18n.t("check.sha256")}>
          <Code text={catalog.pluginFiles[check.key]?.sha256 ?? ""} />
        </FactRow>
      )}
    </dl>
  );
}

/** Condition of `notApplicable`; a plugin check may have none documented. */
function NotApplicable({ check, texts }: { readonly check: CheckDefinition; readonly texts: CheckTexts | undefined }) {
  const {
    i18n,
    settings: { catalog },
  } = useVisit();
  const declared = (check.appliesTo ?? []).map((condition) => i18n.t(`check.conditions.${condition}`));
  const always = fileOf(catalog, check.key) === null ? [i18n.t("check.alwaysApplies")] : [];
  const notes = texts?.notApplicable !== undefined ? [texts.notApplicable] : declared.length > 0 ? declared : always;
  if (notes.length === 0) return null;
  return (
    <Section title={i18n.t("check.notApplicable")}>
      {notes.map((sentence) => (
        <p key={sentence}>
          <TextWithCheckLinks text={sentence} />
        </p>
      ))}
    </Section>
  );
}

function NotChecked({ check: { weight, reads, consults = [], headers = [] } }: { readonly check: CheckDefinition }) {
  const { i18n, settings } = useVisit();
  const scoreMax = scoreMaxWhileUnread(weight);
  return (
    <Section title={i18n.t("check.notChecked")}>
      <Readings lead="check.needs" names={reads} />
      <Readings lead="check.consults" names={consults} />
      {headers.length > 0 && (
        <p>
          {i18n.t("check.headers", {
            charsMax: i18n.number(settings.config["scan.header_chars_max"]),
            fieldsMax: i18n.number(headerFieldsMax),
          })}{" "}
          <Code text={headers.join(", ")} />
        </p>
      )}
      <p>{scoreMax === null ? i18n.t("check.neither") : i18n.t("check.held", { score: scoreMax })}</p>
    </Section>
  );
}

/** Null without a reading. */
function Readings({ lead, names }: { readonly lead: TextPath; readonly names: CheckDefinition["reads"] }) {
  const { i18n } = useVisit();
  if (names.length === 0) return null;
  return (
    <>
      <p>{i18n.t(lead)}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            {i18n.t(`checks.readings.${name}`)} (<Code text={name} />)
          </li>
        ))}
      </ul>
    </>
  );
}

/** Keys of checks in a text. Only keys with a hyphen: a single word could be ordinary text. */
const keyed = /([a-z0-9]+(?:-[a-z0-9]+)+)/;

/** Text with links for the check keys in it. */
function TextWithCheckLinks({ text }: { readonly text: string }) {
  const { checks } = useVisit().settings.catalog;
  const isKey = (word: string) => checks.some(({ key }) => key === word);
  return text.split(keyed).map((piece, at) =>
    at % 2 === 1 && isKey(piece) ? (
      <a key={piece} href={`/checks/${piece}`}>
        <Code text={piece} />
      </a>
    ) : (
      piece
    ),
  );
}

interface FindingReferenceProps {
  readonly code: string;
  readonly definition: FindingDefinition;
  /** Null where every finding of the check charges the same. */
  readonly charge: string | null;
  readonly texts: FindingTexts | undefined;
}

/** Documentation of a finding code, linkable as `/checks/{key}#{code}`. */
function FindingReference({ code, definition, charge, texts }: FindingReferenceProps) {
  const { i18n } = useVisit();
  const { severity, effort, scoreCap, cwe } = definition;
  return (
    <article id={code} class="finding" data-severity={severity}>
      <h3>
        <TextWithSamples text={texts?.title ?? code} />
      </h3>
      <p>
        <a href={`#${code}`}>
          <Code text={code} />
        </a>
      </p>
      <p class="chips">
        <SeverityChip severity={severity} />
        <EffortMeter effort={effort} />
        {charge !== null && <span class="muted small">{charge}</span>}
        {scoreCap !== undefined && <span class="chip poor">{i18n.t("check.scoreCap", { score: i18n.number(scoreCap) })}</span>}
      </p>
      {cwe !== undefined && <Weakness number={cwe} />}
      {texts !== undefined && <FindingTextsList code={code} texts={texts} />}
    </article>
  );
}

/** Entry of the CWE list, which MITRE keeps. */
function Weakness({ number }: { readonly number: number }) {
  const { i18n } = useVisit();
  return (
    <p class="small">
      {i18n.t("check.weakness")}:{" "}
      <span {...untranslated}>
        <ExternalLink href={`https://cwe.mitre.org/data/definitions/${number}.html`}>{`CWE-${number}`}</ExternalLink>
      </span>
    </p>
  );
}

function FindingTextsList({ code, texts }: { readonly code: string; readonly texts: FindingTexts }) {
  const { i18n, settings } = useVisit();
  const { detail, riskStatement, remediation } = texts;
  const fixes = settings.texts.fixesOf(code);
  return (
    <>
      <p>
        <TextWithSamples text={detail} />
      </p>
      <h4>{i18n.t("check.whatCanHappen")}</h4>
      <p>
        <TextWithSamples text={riskStatement} />
      </p>
      <h4>{i18n.t("check.whatToDo")}</h4>
      <FullRemediation text={remediation} linesFor={(server) => linesFor(server, fixes, lineSamples)} advice={sampled} lines={sampled} />
    </>
  );
}

/** Values that are equal in every language; without a name, the lines use an example. */
const lineSamples = { host: "www.example.com", tlsHost: "www.example.com" };

function sampled(text: string) {
  return <TextWithSamples text={text} />;
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** Text with sample values for its placeholders: example hosts, or a description of the value. */
function TextWithSamples({ text }: { readonly text: string }) {
  const { i18n, settings, now } = useVisit();
  // Odd pieces are placeholder names, since the pattern has one group.
  return text.split(placeholder).map((piece, at) => (at % 2 === 0 ? piece : <var key={at}>{sampleOf(piece)}</var>));

  function sampleOf(name: string): string {
    if (name === "expires") return suggestedExpiry(now.toISOString());
    return placeholderSample(name, i18n.locale, settings.texts);
  }
}

const rfcForm = /^RFC (\d{1,5})(?: section (\d+(?:\.\d+)*))?$/;

/** Standards of a check; RFCs are linked. */
function Standards({ names }: { readonly names: readonly string[] }) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name} {...untranslated}>
          <Standard name={name} />
        </li>
      ))}
    </ul>
  );
}

function Standard({ name }: { readonly name: string }) {
  const [, number, section] = rfcForm.exec(name) ?? [];
  if (number === undefined) return <>{name}</>;
  const place = section === undefined ? "" : `#section-${section}`;
  return <ExternalLink href={`https://www.rfc-editor.org/rfc/rfc${number}${place}`}>{name}</ExternalLink>;
}
