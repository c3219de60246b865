/** Evidence of security.txt: one entry per attempted URL. */
import type { Evidence } from "../../evidence/evidence.ts";
import type { SecurityTxtFacts } from "../../evidence/http-facts.ts";
import { useI18n } from "../context.ts";
import { FileBody, ReadingContent, UntrustedLine } from "./evidence-blocks.tsx";

export function SecurityTxtEvidence({ evidence: { securityTxt } }: { readonly evidence: Evidence }) {
  return (
    <ReadingContent reading={securityTxt}>
      {({ attempts }) => attempts.map((attempt) => <Attempt key={attempt.url} attempt={attempt} />)}
    </ReadingContent>
  );
}

function Attempt({ attempt }: { readonly attempt: SecurityTxtFacts["attempts"][number] }) {
  const i18n = useI18n();
  const { url, finalUrl, status, contentType, body, truncated } = attempt;
  return (
    <>
      <p>
        <UntrustedLine>{url}</UntrustedLine>
        {finalUrl !== url && (
          <>
            {" "}
            <span aria-hidden="true">&rarr;</span> <UntrustedLine>{finalUrl}</UntrustedLine>
          </>
        )}
        : {i18n.t("report.facts.status", { status })}
        {contentType !== null && (
          <>
            , <UntrustedLine>{contentType}</UntrustedLine>
          </>
        )}
      </p>
      <FileBody body={body} truncated={truncated} />
    </>
  );
}
