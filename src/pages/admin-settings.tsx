/** `/admin/settings`: what is in force, and who said so. */
import { adminOf, adminPage } from "./admin-frame.tsx";
import { untranslated } from "./components/foreign.tsx";
import { useWords } from "./context.ts";
import type { ShownSetting } from "./operator.ts";
import { pageGroup, type Visit } from "./visit.ts";

export function adminSettingsRoutes() {
  return pageGroup("admin settings").get("/admin/settings", ({ visit }) => settingsPage(visit));
}

function settingsPage(visit: Visit): Response {
  adminOf(visit);
  const { words, settings } = visit;
  return adminPage(visit, {
    title: "admin.settings.title",
    children: (
      <>
        <p>{words.say("admin.settings.intro")}</p>
        <table class="cards">
          <caption>{words.say("admin.settings.caption")}</caption>
          <thead>
            <tr>
              <th scope="col">{words.say("admin.settings.key")}</th>
              <th scope="col">{words.say("admin.settings.value")}</th>
              <th scope="col">{words.say("admin.settings.origin")}</th>
              <th scope="col">{words.say("admin.settings.variable")}</th>
            </tr>
          </thead>
          <tbody>
            {settings.operator.settings.map((setting) => (
              <SettingRow key={setting.key} setting={setting} />
            ))}
          </tbody>
        </table>
      </>
    ),
  });
}

function SettingRow({ setting: { key, value, origin, originName, variable } }: { readonly setting: ShownSetting }) {
  const words = useWords();
  return (
    <tr id={key}>
      <th scope="row">
        <code {...untranslated}>{key}</code>
      </th>
      <td data-label={words.say("admin.settings.value")}>
        {value === null ? <span class="muted">{words.say("admin.settings.unset")}</span> : <code {...untranslated}>{value}</code>}
      </td>
      <td data-label={words.say("admin.settings.origin")}>
        {words.say(`admin.settings.origins.${origin}`)} {originName !== null && <code {...untranslated}>{originName}</code>}
      </td>
      <td data-label={words.say("admin.settings.variable")}>
        <code {...untranslated}>{variable}</code>
      </td>
    </tr>
  );
}
