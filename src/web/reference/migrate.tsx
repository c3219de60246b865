/** `/migrate`: for users of a retired header grading API, with equivalents and an example before and after. */

import { Section } from "../../report/components/layout.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { TextTable } from "../components/sections.tsx";
import { page } from "../page.tsx";
import { publicOrigin, type Visit } from "../visit.ts";
import { curlOf } from "./api-document.ts";
import { TextWithCode } from "./coded.tsx";

/** In the order of the specification; `long` is about a limit of this installation. */
const concepts = ["grade", "missing", "long", "raw", "warnings", "query", "hide", "redirects", "synchronous"] as const;

/** Reserved name (RFC 2606): no real service is meant. */
const before = `curl -i "https://header-grades.example/?q=https://site.example/&hide=on&followRedirects=on" \\
  -H "X-Api-Key: $KEY"`;
const grade = `HTTP/1.1 200 OK
X-Grade: B`;

const start = curlOf("POST", "/api/v1/scans", { body: '{"url": "https://site.example/"}' });
const started = `{"token":"67nIDqqCondMLX7iB8bYxR","id":1,"status":"queued","statusUrl":"/api/v1/scans/67nIDqqCondMLX7iB8bYxR"}`;

const read = `SCAN=67nIDqqCondMLX7iB8bYxR\n${curlOf("GET", "/api/v1/scans/{token}/security")}`;
const result = `{"schemaVersion":1, ... "status":"finished", ... "security":{"dimension":"security","measured":true,
 "score":81,"band":"good","rank":"solid", ... "findings":[{"code":"security.missing-header.permissions-policy", ...}]}}`;

export function getMigration(visit: Visit): Response {
  const { i18n } = visit;
  const answer = i18n.t("migrate.answer");
  const charsMax = i18n.number(visit.settings.config["scan.header_chars_max"]);
  return page(visit, {
    title: i18n.t("migrate.title"),
    head: { lead: i18n.t("migrate.lead") },
    children: (
      <>
        <Section title={i18n.t("migrate.mapping")}>
          <TextTable
            caption="migrate.mapping"
            rows={concepts}
            columns={{
              "migrate.old": (name) => i18n.t(`migrate.concepts.${name}.old`),
              "migrate.new": (name) => <TextWithCode text={i18n.t(`migrate.concepts.${name}.new`, { charsMax })} />,
            }}
          />
        </Section>
        <Section title={i18n.t("migrate.before")}>
          <p>{i18n.t("migrate.beforeLead")}</p>
          <ConfigLines label="curl">{before}</ConfigLines>
          <ConfigLines label={answer}>{grade}</ConfigLines>
        </Section>
        <Section title={i18n.t("migrate.after")}>
          <p>
            {i18n.t("migrate.token")} <a href="/account/tokens">{i18n.t("migrate.tokens")}</a>
          </p>
          <ConfigLines label={i18n.t("migrate.shell")}>{`BASE=${publicOrigin(visit)}\nTOKEN=assay_...`}</ConfigLines>
          <p>{i18n.t("migrate.start")}</p>
          <ConfigLines label="curl">{start}</ConfigLines>
          <ConfigLines label={answer}>{started}</ConfigLines>
          <p>{i18n.t("migrate.read")}</p>
          <ConfigLines label="curl">{read}</ConfigLines>
          <ConfigLines label={answer}>{result}</ConfigLines>
          <p>
            <TextWithCode text={i18n.t("migrate.codes")} />
          </p>
          <p>
            <TextWithCode text={i18n.t("migrate.gate")} />
          </p>
          <p>
            <a href="/api">{i18n.t("migrate.api")}</a>
          </p>
        </Section>
      </>
    ),
  });
}
