/** `/admin/checks`: the catalog of this process, and the files of checks beside the binary. */

import { untranslated } from "../components/foreign.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useVisit } from "../context.ts";
import type { PageHandler, Visit } from "../visit.ts";
import { adminPage, withAdmin } from "./admin-frame.tsx";

export const getAdminChecks: PageHandler = (visit) => withAdmin(visit, () => checksPage(visit));

function checksPage(visit: Visit): Response {
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
  const columns = [
    { label: words.say("admin.checks.key") },
    { label: words.say("admin.checks.label") },
    { label: words.say("admin.checks.weight"), numeric: true },
    { label: words.say("admin.checks.file") },
  ];
  const own = checks.filter(({ key }) => Object.hasOwn(droppedIn, key));
  return (
    <Table caption={words.say("admin.checks.caption")} columns={columns}>
      <RowGroup>
        {own.map(({ key, weight }) => (
          <Row
            key={key}
            cells={[
              <a key="key" href={`/checks/${encodeURIComponent(key)}`} {...untranslated}>
                {key}
              </a>,
              texts[words.locale][key]?.label ?? key,
              words.number(weight),
              <code key="file" {...untranslated}>
                {droppedIn[key]}
              </code>,
            ]}
          />
        ))}
      </RowGroup>
    </Table>
  );
}
