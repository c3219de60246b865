/** `/admin/settings`: what is in force, and who said so. */

import { untranslated } from "../components/foreign.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useWords } from "../context.ts";
import type { PageHandler, Visit } from "../visit.ts";
import { adminPage, withAdmin } from "./admin-frame.tsx";
import type { ShownSetting } from "./operator.ts";

export const getAdminSettings: PageHandler = (visit) => withAdmin(visit, () => settingsPage(visit));

function settingsPage(visit: Visit): Response {
  const { words, settings } = visit;
  const columns = [
    { label: words.say("admin.settings.key") },
    { label: words.say("admin.settings.value") },
    { label: words.say("admin.settings.origin") },
  ];
  return adminPage(visit, {
    title: "admin.settings.title",
    lead: words.say("admin.settings.intro"),
    children: (
      <Table caption={words.say("admin.settings.caption")} captionUnseen columns={columns}>
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
  const words = useWords();
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
        {words.say("admin.settings.unset")}
      </span>
    ) : (
      <Verbatim key="value">{value}</Verbatim>
    ),
    <>
      {words.say(`admin.settings.origins.${origin}`)} {originName !== null && origin !== "variable" && <Verbatim>{originName}</Verbatim>}
    </>,
  ];
  return <Row id={key} cells={cells} />;
}

/** As it is typed. */
function Verbatim({ children }: { readonly children: string }) {
  return <code {...untranslated}>{children}</code>;
}
