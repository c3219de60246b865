/** `/admin/settings`: effective settings and their sources. */
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { TextTable } from "../components/section.tsx";
import type { GetFor } from "../guards.ts";
import { adminPage } from "./admin-page.tsx";
import type { ShownSetting } from "./operator.ts";

export const getAdminSettings: GetFor<"administrators"> = (visit) => {
  const { i18n, settings } = visit;
  return adminPage(visit, {
    title: "admin.settings.title",
    lead: i18n.t("admin.settings.intro"),
    children: (
      <TextTable
        caption="admin.settings.caption"
        rows={settings.operator.settings}
        rowId={({ key }) => key}
        columns={{
          "admin.settings.key": SettingName,
          "admin.settings.value": (setting) => <SettingValue {...setting} />,
          "admin.settings.origin": (setting) => <SettingOrigin {...setting} />,
        }}
      />
    ),
  });
};

function SettingName({ key, variable }: ShownSetting) {
  return (
    <>
      <Verbatim>{key}</Verbatim>
      <br />
      <span class="muted small">
        <Verbatim>{variable}</Verbatim>
      </span>
    </>
  );
}

function SettingValue({ value }: ShownSetting) {
  const i18n = useI18n();
  return value === null ? <span class="muted">{i18n.t("admin.settings.unset")}</span> : <Verbatim>{value}</Verbatim>;
}

function SettingOrigin({ origin, originName }: ShownSetting) {
  const i18n = useI18n();
  return (
    <>
      {i18n.t(`admin.settings.origins.${origin}`)} {originName !== null && origin !== "variable" && <Verbatim>{originName}</Verbatim>}
    </>
  );
}

/** Literal text, never translated. */
function Verbatim({ children }: { readonly children: string }) {
  return <code {...untranslated}>{children}</code>;
}
