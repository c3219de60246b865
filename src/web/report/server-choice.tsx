/** Choice of the server that a report shows lines for, and one configuration for all findings. */
import { fixedFinding } from "../../text/render.ts";
import { configurationFor, isTestedForReal, serverLabel, serverNames } from "../../text/servers/server-lines.ts";
import { ConfigLines } from "../components/config-lines.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { Sentence } from "../components/untrusted-text.tsx";
import { useVisit } from "../context.ts";
import { findingChoiceParams } from "./finding-filter.tsx";
import type { Report } from "./report.ts";
import { ledgerParams } from "./state-filter.tsx";

/** Anchor of the choice, which the form returns to. */
export const serverChoiceId = "server";
export const serverParam = "server";
/** Parameters of the page that the form keeps. */
const keptParams = [...findingChoiceParams, ...ledgerParams];
/** Longer values were typed into the address. */
const keptValueCharsMax = 200;

/** A GET form, so that it works without script. Nothing is sent on change: arrow keys would reload the page (WCAG 2.2, 3.2.2). Other parameters are kept. */
export function ServerChoice({ report: { server } }: { readonly report: Report }) {
  const { i18n, url } = useVisit();
  const kept = [...url.searchParams].filter(([name, value]) => keptParams.includes(name) && value.length <= keptValueCharsMax);
  return (
    <form class="server-choice" id={serverChoiceId} action={`${url.pathname}#${serverChoiceId}`}>
      {kept.map(([name, value], at) => (
        <input key={at} type="hidden" name={name} value={value} />
      ))}
      <label>
        {i18n.t("report.server.label")}
        <select name={serverParam}>
          {serverNames.map((name) => (
            <option key={name} value={name} selected={name === server.name}>
              {serverLabel(name)}
            </option>
          ))}
          <option value="explain" selected={server.name === "explain"}>
            {i18n.t("report.server.explain")}
          </option>
        </select>
      </label>
      <SubmitButton kind="plain">{i18n.t("report.server.choose")}</SubmitButton>
      {server.guessed && <span class="small muted">{i18n.t("report.server.guessed")}</span>}
      {server.name !== "explain" && !isTestedForReal(server.name) && (
        <span class="small muted">{i18n.t("report.server.testedByForm")}</span>
      )}
    </form>
  );
}

/** One configuration for all findings that the chosen server can repair; nothing if it can repair none. Notes are left out. */
export function AllLines({ report }: { readonly report: Report }) {
  const { server, findings } = report;
  const {
    i18n,
    settings: { texts },
  } = useVisit();
  if (server.name === "explain") return null;
  const problems = findings.filter(({ points }) => points !== 0);
  const items = problems.map(({ finding }) => fixedFinding(finding, report.scan.url, texts));
  const write = (note: string) => texts.translate(i18n.locale, ["serverNotes", ...note.split(".")]) ?? note;
  const { text, codes, left } = configurationFor(server.name, items, write);
  if (text === "") return null;
  const repaired = problems.filter(({ finding }) => codes.includes(finding.code)).length;
  const label = serverLabel(server.name);
  return (
    <details class="paste all-lines" id="all-lines">
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
                  <a href={`#${anchor}`}>
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
