/** `/admin/checks`: the loaded catalog and the files of plugin checks. */

import { Row, RowGroup, Table } from "../components/table.tsx";
import { untranslated } from "../components/untrusted-text.tsx";
import { useVisit } from "../context.ts";
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
  const columns = [
    { label: i18n.t("admin.checks.key") },
    { label: i18n.t("admin.checks.label") },
    { label: i18n.t("admin.checks.weight"), numeric: true },
    { label: i18n.t("admin.checks.file") },
  ];
  const plugins = checks.filter(({ key }) => Object.hasOwn(pluginFiles, key));
  return (
    <Table caption={i18n.t("admin.checks.caption")} columns={columns}>
      <RowGroup>
        {plugins.map(({ key, weight }) => (
          <Row
            key={key}
            cells={[
              <a key="key" href={`/checks/${encodeURIComponent(key)}`} {...untranslated}>
                {key}
              </a>,
              settings.texts.ofCheck(i18n.locale, key)?.label ?? key,
              i18n.number(weight),
              <code key="file" {...untranslated}>
                {pluginFiles[key]}
              </code>,
            ]}
          />
        ))}
      </RowGroup>
    </Table>
  );
}
