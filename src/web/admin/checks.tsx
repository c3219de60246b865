/** `/admin/checks`: the loaded catalog and the files of plugin checks. */
import { describeFault } from "../../catalog/fault.ts";
import { Notice } from "../../report/components/notice.tsx";
import { DataTable } from "../../report/components/table.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { useVisit } from "../context.ts";
import { shortCharge } from "../reference/charge.ts";
import type { PageHandler, Visit } from "../visit.ts";
import { adminPage, withAdmin } from "./admin-frame.tsx";

export const getAdminChecks: PageHandler = (visit) => withAdmin(visit, () => checksPage(visit));

function checksPage(visit: Visit): Response {
  const { i18n, settings } = visit;
  const { catalog } = settings;
  const pluginCount = Object.keys(catalog.pluginFiles).length;
  return adminPage(visit, {
    title: "admin.checks.title",
    children: (
      <>
        <p>
          {i18n.count("admin.checks.builtIn", catalog.checks.length - pluginCount)}{" "}
          {i18n.t("admin.checks.catalog", { version: catalog.version })}
        </p>
        {catalog.warnings.length > 0 && (
          <Notice kind="warn" title={i18n.t("admin.checks.unknownKeys")}>
            <ul {...untranslated}>
              {catalog.warnings.map(describeFault).map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Notice>
        )}
        {pluginCount === 0 ? <p>{i18n.t("admin.checks.none")}</p> : <PluginFiles />}
        <p>{i18n.t("admin.checks.trust")}</p>
        <p>{i18n.t("admin.checks.faults")}</p>
      </>
    ),
  });
}

function PluginFiles() {
  const { i18n, settings } = useVisit();
  const { checks, pluginFiles } = settings.catalog;
  return (
    <DataTable
      caption={i18n.t("admin.checks.caption")}
      rows={checks.filter(({ key }) => Object.hasOwn(pluginFiles, key))}
      columns={[
        {
          label: i18n.t("admin.checks.key"),
          cell: ({ key }) => (
            <a href={`/checks/${encodeURIComponent(key)}`} {...untranslated}>
              {key}
            </a>
          ),
        },
        { label: i18n.t("admin.checks.label"), cell: ({ key }) => settings.texts.ofCheck(i18n.locale, key)?.label ?? key },
        { label: i18n.t("admin.checks.weight"), numeric: true, cell: (check) => shortCharge(check, i18n) },
        { label: i18n.t("admin.checks.file"), cell: ({ key }) => <code {...untranslated}>{pluginFiles[key]?.path}</code> },
      ]}
    />
  );
}
