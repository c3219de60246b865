/** `/admin/checks`: the catalog of this process, and the files of checks beside the binary. */
import { adminOf, adminPage } from "./admin-frame.tsx";
import { untranslated } from "./components/foreign.tsx";
import { useVisit } from "./context.ts";
import { pageGroup, type Visit } from "./visit.ts";

export function adminChecksRoutes() {
  return pageGroup("admin checks").get("/admin/checks", ({ visit }) => checksPage(visit));
}

function checksPage(visit: Visit): Response {
  adminOf(visit);
  const { words, settings } = visit;
  const { catalog } = settings;
  const own = Object.keys(catalog.droppedIn).length;
  return adminPage(visit, {
    title: "admin.checks.title",
    children: (
      <>
        <p>
          {words.count("admin.checks.builtIn", catalog.checks.length - own)}{" "}
          {words.say("admin.checks.catalog", { version: catalog.version })}
        </p>
        {own === 0 ? <p>{words.say("admin.checks.none")}</p> : <OwnChecks />}
        <p>{words.say("admin.checks.trust")}</p>
        <p>{words.say("admin.checks.faults")}</p>
      </>
    ),
  });
}

function OwnChecks() {
  const { words, settings } = useVisit();
  const { checks, texts, droppedIn } = settings.catalog;
  return (
    <table class="cards">
      <caption>{words.say("admin.checks.caption")}</caption>
      <thead>
        <tr>
          <th scope="col">{words.say("admin.checks.key")}</th>
          <th scope="col">{words.say("admin.checks.label")}</th>
          <th scope="col">{words.say("admin.checks.weight")}</th>
          <th scope="col">{words.say("admin.checks.file")}</th>
        </tr>
      </thead>
      <tbody>
        {checks
          .filter(({ key }) => Object.hasOwn(droppedIn, key))
          .map(({ key, weight }) => (
            <tr key={key}>
              <th scope="row">
                <a href={`/checks/${encodeURIComponent(key)}`} {...untranslated}>
                  {key}
                </a>
              </th>
              <td data-label={words.say("admin.checks.label")}>{texts[words.locale][key]?.label ?? key}</td>
              <td data-label={words.say("admin.checks.weight")}>{words.number(weight)}</td>
              <td data-label={words.say("admin.checks.file")}>
                <code {...untranslated}>{droppedIn[key]}</code>
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
