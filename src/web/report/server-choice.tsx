/** Choice of the server that a report shows lines for. */

import type { Report } from "../../report/report.ts";
import { isTestedForReal, serverLabel, serverNames } from "../../text/servers/server-lines.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { findingChoiceParams } from "./finding-filter.tsx";
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
