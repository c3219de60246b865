/** `/checks/{key}`: documentation of a check, generated from catalog and locales. */
import type { ComponentChildren } from "preact";
import { areaOf, type CheckTexts, type FindingDefinition, worstFirst } from "../../check/check.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import { headerFieldsMax } from "../../evidence/limits.ts";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { scoreMaxWhileUnread } from "../../text/ledger-rows.ts";
import type { TextPath } from "../../text/translator.ts";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { chargeSentence, findingCharge } from "./charge.ts";
import { areaId, fileOf } from "./checks.tsx";
import { FindingReference } from "./finding.tsx";
import { Standards } from "./standards.tsx";

export function getCheck(visit: Visit, key: string | null): Response {
  const check = visit.settings.catalog.checks.find((one) => one.key === key);
  if (check === undefined) throw notFound();
  return checkPage(visit, check);
}

function checkPage(visit: Visit, check: CheckDefinition): Response {
  const { i18n } = visit;
  const texts = visit.settings.texts.ofCheck(i18n.locale, check.key);
  const label = texts?.label ?? check.key;
  return page(visit, {
    title: label,
    children: (
      <>
        <PageHead title={label} lead={texts?.reason} breadcrumbs={[{ href: "/checks", text: i18n.t("check.all") }]} />
        <Facts check={check} />
        {texts?.method !== undefined && (
          <Part title="check.method">
            <p>
              <TextWithCheckLinks text={texts.method} />
            </p>
          </Part>
        )}
        <NotApplicable check={check} texts={texts} />
        <NotChecked check={check} />
        <Part title="check.findings">
          <p class="muted">{i18n.t("check.sampled")}</p>
          {findingsOf(check).map(([code, definition]) => (
            <FindingReference
              key={code}
              code={code}
              definition={definition}
              charge={findingCharge(check, definition, i18n)}
              texts={texts?.findings[code]}
            />
          ))}
        </Part>
        {check.standards !== undefined && check.standards.length > 0 && (
          <Part title="check.standards">
            <Standards names={check.standards} />
          </Part>
        )}
      </>
    ),
  });
}

/** Worst first; equal ones keep the order of the check. */
function findingsOf({ findings }: CheckDefinition): readonly (readonly [string, FindingDefinition])[] {
  return Object.entries<FindingDefinition>(findings).toSorted(([, one], [, other]) => worstFirst(one, other));
}

function Part({ title, children }: { readonly title: TextPath; readonly children: ComponentChildren }) {
  const { i18n } = useVisit();
  return (
    <section>
      <h2>{i18n.t(title)}</h2>
      {children}
    </section>
  );
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
      <dt>{i18n.t("check.key")}</dt>
      <dd>
        <code {...untranslated}>{check.key}</code>
      </dd>
      <dt>{i18n.t("check.area")}</dt>
      <dd>
        <a href={`/checks#${areaId(area)}`}>{i18n.t(`checks.areas.${area}`)}</a>
      </dd>
      <dt>{i18n.t("check.weight")}</dt>
      <dd>{chargeSentence(check, i18n)}</dd>
      <dt>{i18n.t("check.origin")}</dt>
      <dd>{file === null ? i18n.t("check.builtIn") : i18n.t("checks.fromFile", { file })}</dd>
      {file !== null && (
        <>
          <dt>{i18n.t("check.sha256")}</dt>
          <dd>
            <code {...untranslated}>{catalog.pluginFiles[check.key]?.sha256}</code>
          </dd>
        </>
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
    <Part title="check.notApplicable">
      {notes.map((sentence) => (
        <p key={sentence}>
          <TextWithCheckLinks text={sentence} />
        </p>
      ))}
    </Part>
  );
}

function NotChecked({ check: { weight, reads, consults = [], headers = [] } }: { readonly check: CheckDefinition }) {
  const { i18n, settings } = useVisit();
  const scoreMax = scoreMaxWhileUnread(weight);
  return (
    <Part title="check.notChecked">
      {reads.length > 0 && (
        <>
          <p>{i18n.t("check.needs")}</p>
          <Readings names={reads} />
        </>
      )}
      {consults.length > 0 && (
        <>
          <p>{i18n.t("check.consults")}</p>
          <Readings names={consults} />
        </>
      )}
      {headers.length > 0 && (
        <p>
          {i18n.t("check.headers", {
            charsMax: i18n.number(settings.config["scan.header_chars_max"]),
            fieldsMax: i18n.number(headerFieldsMax),
          })}{" "}
          <code {...untranslated}>{headers.join(", ")}</code>
        </p>
      )}
      <p>{scoreMax === null ? i18n.t("check.neither") : i18n.t("check.held", { score: scoreMax })}</p>
    </Part>
  );
}

function Readings({ names }: { readonly names: CheckDefinition["reads"] }) {
  const { i18n } = useVisit();
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          {i18n.t(`checks.readings.${name}`)} (<code {...untranslated}>{name}</code>)
        </li>
      ))}
    </ul>
  );
}

/** Text with links for the check keys in it. */
/** Only keys with a hyphen: a single word could be ordinary text. */
const keyed = /([a-z0-9]+(?:-[a-z0-9]+)+)/;

function TextWithCheckLinks({ text }: { readonly text: string }) {
  const { checks } = useVisit().settings.catalog;
  const isKey = (word: string) => checks.some(({ key }) => key === word);
  return text.split(keyed).map((piece, at) =>
    at % 2 === 1 && isKey(piece) ? (
      <a key={piece} href={`/checks/${piece}`}>
        <code {...untranslated}>{piece}</code>
      </a>
    ) : (
      piece
    ),
  );
}
