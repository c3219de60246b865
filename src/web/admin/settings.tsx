/** `/admin/settings`: effective settings and their sources. */
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { TextTable } from "../components/sections.tsx";
import type { GetFor } from "../guards.ts";
import { adminPage } from "../private-page.tsx";
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
          "admin.settings.value": ({ value }) =>
            value === null ? <span class="muted">{i18n.t("admin.settings.unset")}</span> : <Verbatim>{value}</Verbatim>,
          "admin.settings.origin": ({ origin, originName }) => (
            <>
              {i18n.t(`admin.settings.origins.${origin}`)}{" "}
              {originName !== null && origin !== "variable" && <Verbatim>{originName}</Verbatim>}
            </>
          ),
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

/** Literal text, never translated. */
function Verbatim({ children }: { readonly children: string }) {
  return <code {...untranslated}>{children}</code>;
}
