/** Checks that are in another state than before. */
import type { Comparison } from "../../../text/comparison.ts";
import { textsOfCheck } from "../../../text/render.ts";
import { Foreign } from "../../components/foreign.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useVisit } from "../../context.ts";
import { checkOf } from "../report.ts";
import { Section } from "./section.tsx";

export function ChangedChecks({ comparison: { checks, checksUnchanged } }: { readonly comparison: Comparison }) {
  const visit = useVisit();
  const { words, settings } = visit;
  const absent = <span class="muted">{words.say("compare.absent")}</span>;
  return (
    <Section id="checks" heading={words.say("compare.checks")}>
      <Table
        caption={words.say("compare.checks")}
        captionUnseen
        columns={[
          { label: words.say("compare.check"), header: true },
          { label: words.say("compare.before") },
          { label: words.say("compare.after") },
        ]}
      >
        <RowGroup>
          {checks.map(({ key, before, after }) => (
            <Row
              key={key}
              cells={[
                checkOf(visit, key) === undefined ? (
                  <Foreign key="check">{key}</Foreign>
                ) : (
                  <a key="check" href={`/checks/${key}`}>
                    {textsOfCheck(key, words.locale, settings.texts).label}
                  </a>
                ),
                before === null ? absent : <StateMark key="before" state={before} />,
                after === null ? absent : <StateMark key="after" state={after} />,
              ]}
            />
          ))}
        </RowGroup>
      </Table>
      <p class="muted">{words.count("compare.checksSame", checksUnchanged)}</p>
    </Section>
  );
}
