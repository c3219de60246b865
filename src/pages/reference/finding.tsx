/** One finding code of a check, as it can be referred to: `/checks/{key}#{code}`. */

import type { FindingDefinition, FindingTexts } from "../../check/check.ts";
import { untranslated } from "../components/foreign.tsx";
import { Remediation } from "../components/remediation.tsx";
import { useVisit } from "../context.ts";
import { WithSamples } from "./samples.tsx";

interface FindingReferenceProps {
  readonly code: string;
  readonly definition: FindingDefinition;
  readonly texts: FindingTexts | undefined;
}

export function FindingReference({ code, definition, texts }: FindingReferenceProps) {
  const { words } = useVisit();
  const { severity, riskLevel, effort, scoreCap } = definition;
  return (
    <article id={code} class={`finding severity-${severity}`}>
      <h3>
        <WithSamples text={texts?.title ?? code} />
      </h3>
      <p>
        <a href={`#${code}`}>
          <code {...untranslated}>{code}</code>
        </a>
      </p>
      <ul class="chips">
        <li class={`chip severity-${severity}`}>{words.say("check.severity", { word: words.severity(severity) })}</li>
        <li class="chip">{words.say("check.risk", { word: words.risk(riskLevel) })}</li>
        <li class="chip">{words.say("check.effort", { word: words.effort(effort) })}</li>
        {scoreCap !== undefined && <li class="chip">{words.say("check.scoreCap", { score: words.number(scoreCap) })}</li>}
      </ul>
      {texts !== undefined && <Explained texts={texts} />}
    </article>
  );
}

function Explained({ texts: { detail, riskStatement, remediation } }: { readonly texts: FindingTexts }) {
  const { words } = useVisit();
  return (
    <>
      <p>
        <WithSamples text={detail} />
      </p>
      <h4>{words.say("check.whatCanHappen")}</h4>
      <p>
        <WithSamples text={riskStatement} />
      </p>
      <h4>{words.say("check.whatToDo")}</h4>
      <Remediation text={remediation} show={(piece) => <WithSamples text={piece} />} />
    </>
  );
}
