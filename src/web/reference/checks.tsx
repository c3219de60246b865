/** `/checks`: all checks of the catalog by area. */
import { basename } from "node:path";
import type { Catalog } from "../../catalog/catalog.ts";
import { type Area, areaOf, areas } from "../../check/check.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import { Section } from "../../report/components/layout.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { shortCharge } from "../../text/charge.ts";
import { TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";

/** The page of the check has the whole hash. */
const sha256CharsShown = 12;

export function getChecks(visit: Visit): Response {
  const { i18n } = visit;
  const { checks, version } = visit.settings.catalog;
  const usedAreas = areas.filter((area) => checks.some((check) => areaOf(check) === area));
  return page(visit, {
    title: i18n.t("checks.title"),
    head: { lead: i18n.count("checks.intro", checks.length) },
    children: (
      <>
        <p>{i18n.t("checks.scoring")}</p>
        <nav aria-label={i18n.t("checks.areasLabel")}>
          <ul class="jumps">
            {usedAreas.map((area) => (
              <li key={area}>
                <a href={`#${areaId(area)}`}>{i18n.t(`checks.areas.${area}`)}</a>
              </li>
            ))}
          </ul>
        </nav>
        {usedAreas.map((area) => (
          <AreaTable key={area} area={area} checks={checks.filter((check) => areaOf(check) === area)} />
        ))}
        <p class="muted">{i18n.t("checks.catalog", { version })}</p>
      </>
    ),
  });
}

/** Element id of an area; prefixed, since a check key may be any word. */
export function areaId(area: Area): string {
  return `area-${area}`;
}

/** File name of a plugin check; null for a built-in one. */
export function fileOf({ pluginFiles }: Catalog, key: string): string | null {
  const file = pluginFiles[key];
  return file === undefined ? null : basename(file.path);
}

function AreaTable({ area, checks }: { readonly area: Area; readonly checks: readonly CheckDefinition[] }) {
  const { i18n, settings } = useVisit();
  const name = i18n.t(`checks.areas.${area}`);
  // Heaviest first; equal weights keep the catalog order, which is by key.
  const sorted = checks.toSorted((one, other) => other.weight - one.weight);
  return (
    <Section id={areaId(area)} title={name}>
      <TextTable
        caption={() => name}
        rows={sorted}
        rowId={({ key }) => `check-${key}`}
        columns={{
          "checks.columns.check": ({ key }) => <CheckName checkKey={key} />,
          "checks.columns.reason": ({ key }) => settings.texts.ofCheck(i18n.locale, key)?.reason,
          "checks.columns.weight": { numeric: true, cell: (check) => shortCharge(check, i18n) },
        }}
      />
    </Section>
  );
}

function CheckName({ checkKey }: { readonly checkKey: string }) {
  const { i18n, settings } = useVisit();
  const { catalog } = settings;
  const file = fileOf(catalog, checkKey);
  return (
    <>
      <a href={`/checks/${checkKey}`}>{settings.texts.ofCheck(i18n.locale, checkKey)?.label ?? checkKey}</a>
      <br />
      <code class="muted" {...untranslated}>
        {checkKey}
      </code>
      {file !== null && (
        <>
          <br />
          <span class="chip unknown">{i18n.t("checks.fromFile", { file })}</span>
          <br />
          <code class="muted" {...untranslated}>
            SHA-256 {catalog.pluginFiles[checkKey]?.sha256.slice(0, sha256CharsShown)}
            {"\u2026"}
          </code>
        </>
      )}
    </>
  );
}
