/** One configuration for all findings of a report. */
import { fixedFinding } from "../text/render.ts";
import { configurationFor, isTestedForReal, serverLabel } from "../text/servers/server-lines.ts";
import { ConfigLines } from "./components/config-lines.tsx";
import { Sentence } from "./components/untrusted-text.tsx";
import { useDocument } from "./context.ts";
import { isOpen, type Report } from "./report.ts";

/** Element id of the section. */
const allLinesId = "all-lines";

/**
 * One configuration for all findings that the chosen server can repair; nothing if it can repair none. Notes and accepted findings are left
 * out.
 */
export function AllLines({ report }: { readonly report: Report }) {
  const { i18n, texts, idOf } = useDocument();
  const { server, findings } = report;
  if (server.name === "explain") return null;
  const problems = findings.filter((shown) => shown.points !== 0 && isOpen(shown));
  const items = problems.map(({ finding }) => fixedFinding(finding, report.scan.url, texts));
  const write = (note: string) => texts.translate(i18n.locale, ["serverNotes", ...note.split(".")]) ?? note;
  const { text, codes, left } = configurationFor(server.name, items, write);
  if (text === "") return null;
  const repaired = problems.filter(({ finding }) => codes.includes(finding.code)).length;
  const label = serverLabel(server.name);
  return (
    <details class="paste all-lines" id={idOf(allLinesId)}>
      <summary>{i18n.t("report.server.all", { server: label })}</summary>
      <p>
        {i18n.count("report.server.repairs", repaired, { total: i18n.number(findings.length) })}{" "}
        {i18n.t(isTestedForReal(server.name) ? "report.server.testedForReal" : "report.server.testedByForm")}
      </p>
      <ConfigLines label={label}>{text}</ConfigLines>
      {left.length > 0 && (
        <>
          <p>{i18n.t("report.server.left")}</p>
          <ul class="small">
            {problems
              .filter(({ finding }) => left.includes(finding.code))
              .map(({ anchor, texts: { title } }) => (
                <li key={anchor}>
                  <a href={`#${idOf(anchor)}`}>
                    <Sentence text={title} />
                  </a>
                </li>
              ))}
          </ul>
        </>
      )}
    </details>
  );
}
