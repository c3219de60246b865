/** How long the scan took, part by part. */
import type { Timings } from "../../../evidence/scan.ts";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useWords } from "../../context.ts";
import type { Words } from "../../words.ts";
import { readingName } from "./reading-words.ts";

export function TimingTable({ timings }: { readonly timings: Timings }) {
  const words = useWords();
  return (
    <>
      <p class="muted">{words.say("evidence.timings.lead")}</p>
      <Table
        caption={words.say("evidence.parts.timings")}
        captionUnseen
        columns={[
          { label: words.say("evidence.timings.part"), header: true },
          { label: words.say("evidence.timings.time"), numeric: true },
        ]}
      >
        <RowGroup>
          {Object.entries(timings)
            .toSorted(([, one], [, other]) => other - one)
            .map(([name, ms]) => (
              <Row key={name} cells={[timingName(words, name), `${words.number(Math.round(ms))} ms`]} />
            ))}
        </RowGroup>
      </Table>
    </>
  );
}

/** Most probes are named like what they read. */
function timingName(words: Words, name: string): string {
  switch (name) {
    case "page":
    case "judge":
    case "total":
      return words.say(`evidence.timings.${name}`);
    default:
      return readingName(words, name);
  }
}
