/** The file security.txt, wherever it was looked for. */
import type { Evidence } from "../../../evidence/evidence.ts";
import type { SecurityTxtFacts } from "../../../evidence/facts.ts";
import { useWords } from "../../context.ts";
import { FileBody, ForeignLine, Read } from "./parts.tsx";

export function SecurityTxtEvidence({ evidence: { securityTxt } }: { readonly evidence: Evidence }) {
  return <Read reading={securityTxt}>{({ attempts }) => attempts.map((attempt) => <Attempt key={attempt.url} attempt={attempt} />)}</Read>;
}

function Attempt({ attempt }: { readonly attempt: SecurityTxtFacts["attempts"][number] }) {
  const words = useWords();
  const { url, finalUrl, status, contentType, body, truncated } = attempt;
  return (
    <>
      <p>
        <ForeignLine>{url}</ForeignLine>
        {finalUrl !== url && (
          <>
            {" "}
            <span aria-hidden="true">&rarr;</span> <ForeignLine>{finalUrl}</ForeignLine>
          </>
        )}
        : {words.say("report.facts.status", { status })}
        {contentType !== null && (
          <>
            , <ForeignLine>{contentType}</ForeignLine>
          </>
        )}
      </p>
      <FileBody body={body} truncated={truncated} />
    </>
  );
}
