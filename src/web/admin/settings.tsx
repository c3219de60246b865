/** `/admin/settings`: effective settings and their sources. */

import { Row, RowGroup, Table } from "../components/table.tsx";
import { untranslated } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import type { PageHandler, Visit } from "../visit.ts";
import { adminPage, withAdmin } from "./admin-frame.tsx";
import type { ShownSetting } from "./operator.ts";

export const getAdminSettings: PageHandler = (visit) => withAdmin(visit, () => settingsPage(visit));

function settingsPage(visit: Visit): Response {
  const { i18n, settings } = visit;
  const columns = [
    { label: i18n.t("admin.settings.key") },
    { label: i18n.t("admin.settings.value") },
    { label: i18n.t("admin.settings.origin") },
  ];
  return adminPage(visit, {
    title: "admin.settings.title",
    lead: i18n.t("admin.settings.intro"),
    children: (
      <Table caption={i18n.t("admin.settings.caption")} captionUnseen columns={columns}>
        <RowGroup>
          {settings.operator.settings.map((setting) => (
            <SettingRow key={setting.key} setting={setting} />
          ))}
        </RowGroup>
      </Table>
    ),
  });
}

function SettingRow({ setting: { key, value, origin, originName, variable } }: { readonly setting: ShownSetting }) {
  const i18n = useI18n();
  const cells = [
    <>
      <Verbatim>{key}</Verbatim>
      <br />
      <span class="muted small">
        <Verbatim>{variable}</Verbatim>
      </span>
    </>,
    value === null ? (
      <span key="value" class="muted">
        {i18n.t("admin.settings.unset")}
      </span>
    ) : (
      <Verbatim key="value">{value}</Verbatim>
    ),
    <>
      {i18n.t(`admin.settings.origins.${origin}`)} {originName !== null && origin !== "variable" && <Verbatim>{originName}</Verbatim>}
    </>,
  ];
  return <Row id={key} cells={cells} />;
}

/** Literal text, never translated. */
function Verbatim({ children }: { readonly children: string }) {
  return <code {...untranslated}>{children}</code>;
}
