/** How the browser got to the page, and where plain http leads. */
import type { Evidence } from "../../../evidence/evidence.ts";
import type { HttpAnswer, PlainHttpFacts } from "../../../evidence/facts.ts";
import { Foreign } from "../../components/foreign.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useWords } from "../../context.ts";
import { Entry, ForeignLine, Read } from "./parts.tsx";

export function NavigationEvidence({ evidence: { navigation, hstsPreload } }: { readonly evidence: Evidence }) {
  const words = useWords();
  return (
    <>
      <Read reading={navigation}>
        {({ hops, finalUrl, finalStatus, remoteAddress, security }) => (
          <>
            <Answers
              caption={words.say("evidence.parts.navigation")}
              answers={[...hops, { url: finalUrl, status: finalStatus, headers: [], internal: false }]}
            />
            <dl>
              {remoteAddress !== null && (
                <Entry name={words.say("evidence.navigation.address")}>
                  <Foreign>{remoteAddress}</Foreign>
                </Entry>
              )}
              {security !== null && (
                <Entry name={words.say("evidence.navigation.agreed")}>
                  <Foreign>{[security.protocol, security.keyExchange, security.cipher].filter((part) => part !== "").join(", ")}</Foreign>
                </Entry>
              )}
              {security !== null && (
                <Entry name="Certificate Transparency">
                  {words.say(`evidence.navigation.transparency.${security.certificateTransparency}`)}
                </Entry>
              )}
            </dl>
          </>
        )}
      </Read>
      <h4>{words.say("evidence.readings.hstsPreload")}</h4>
      <Read reading={hstsPreload}>
        {({ hostPreloaded, registrableDomainPreloaded }) => (
          <p>
            {words.say(
              hostPreloaded
                ? "evidence.navigation.preloaded"
                : registrableDomainPreloaded
                  ? "evidence.navigation.domainPreloaded"
                  : "evidence.navigation.notPreloaded",
            )}
          </p>
        )}
      </Read>
    </>
  );
}

export function PlainHttpEvidence({ evidence: { plainHttp } }: { readonly evidence: Evidence }) {
  return <Read reading={plainHttp}>{(facts) => <PlainHttp facts={facts} />}</Read>;
}

function PlainHttp({ facts: { outcome, answers, stoppedBecause } }: { readonly facts: PlainHttpFacts }) {
  const words = useWords();
  return (
    <>
      <p>{words.say(`evidence.plainHttp.${outcome}`)}</p>
      {answers.length > 0 && <Answers caption={words.say("evidence.parts.plainHttp")} answers={answers} />}
      {stoppedBecause !== null && <p>{words.say(`evidence.plainHttp.stopped.${stoppedBecause}`)}</p>}
    </>
  );
}

type AnswerShown = Pick<HttpAnswer, "url" | "status" | "headers"> & { readonly internal?: boolean };

/** Answers in their order, with where each leads. */
function Answers({ caption, answers }: { readonly caption: string; readonly answers: readonly AnswerShown[] }) {
  const words = useWords();
  return (
    <Table
      caption={caption}
      captionUnseen
      columns={[
        { label: words.say("evidence.navigation.url"), header: true },
        { label: words.say("evidence.navigation.status"), numeric: true },
        { label: words.say("evidence.navigation.leadsTo") },
      ]}
    >
      <RowGroup>
        {answers.map(({ url, status, headers, internal = false }, at) => {
          const location = headers.find(({ name }) => name.toLowerCase() === "location")?.value;
          return (
            <Row
              key={String(at)}
              cells={[
                <ForeignLine key="url">{url}</ForeignLine>,
                String(status),
                internal ? (
                  words.say("evidence.navigation.internal")
                ) : location === undefined ? null : (
                  <ForeignLine key="location">{location}</ForeignLine>
                ),
              ]}
            />
          );
        })}
      </RowGroup>
    </Table>
  );
}
