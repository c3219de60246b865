/** What the page came with and what it is made of: headers, cookies, the document and what it asks for. */
import type { Evidence } from "../../../evidence/evidence.ts";
import type { DomFacts, PageFacts, RequestsFacts, SetCookieLine } from "../../../evidence/facts.ts";
import { Foreign } from "../../components/foreign.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useWords } from "../../context.ts";
import { Cut, Entry, ForeignLine, HeaderTable, Others, Read, shown } from "./parts.tsx";

export function HeadersEvidence({ evidence: { page } }: { readonly evidence: Evidence }) {
  const words = useWords();
  return (
    <Read reading={page}>
      {({ url, status, headers, headersDropped, mediaType }) => (
        <>
          <p>
            <ForeignLine>{url}</ForeignLine>: {words.say("report.facts.status", { status })}
            {mediaType !== null && (
              <>
                , <Foreign>{mediaType}</Foreign>
              </>
            )}
          </p>
          <HeaderTable caption={words.say("evidence.parts.headers")} headers={headers} dropped={headersDropped} />
        </>
      )}
    </Read>
  );
}

export function CrossOriginEvidence({ evidence: { crossOrigin } }: { readonly evidence: Evidence }) {
  const words = useWords();
  return (
    <Read reading={crossOrigin}>
      {({ originSent, status, headers }) => (
        <>
          <p>
            {words.say("evidence.crossOrigin.asked")} <Foreign>{originSent}</Foreign>: {words.say("report.facts.status", { status })}
          </p>
          <HeaderTable caption={words.say("evidence.parts.crossOrigin")} headers={headers} dropped={0} />
        </>
      )}
    </Read>
  );
}

export function CookiesEvidence({ evidence: { page } }: { readonly evidence: Evidence }) {
  return <Read reading={page}>{(facts) => <Cookies facts={facts} />}</Read>;
}

function Cookies({ facts: { setCookies, setCookiesDropped } }: { readonly facts: PageFacts }) {
  const words = useWords();
  const lines = setCookies.slice(0, shown.rowsMax);
  if (lines.length === 0) return <p class="muted">{words.say("evidence.cookies.none")}</p>;
  return (
    <>
      <p class="muted">{words.say("evidence.cookies.noValues")}</p>
      <Table
        caption={words.say("evidence.parts.cookies")}
        captionUnseen
        columns={[
          { label: words.say("evidence.cookies.name"), header: true },
          { label: words.say("evidence.cookies.attributes") },
          { label: words.say("evidence.cookies.from") },
        ]}
      >
        <RowGroup>
          {lines.map((line, at) => (
            <Row key={String(at)} cells={cookieCells(line)} />
          ))}
        </RowGroup>
      </Table>
      <Others count={setCookies.length - lines.length + setCookiesDropped} />
    </>
  );
}

/** RFC 6265bis section 5.6: the pair goes up to the first semicolon, its name up to the first equals sign. The value was taken out. */
function cookieCells({ line, host, overHttps, truncated }: SetCookieLine) {
  const [pair = "", ...attributes] = line.split(";");
  return [
    <Foreign key="name">{pair.slice(0, Math.max(0, pair.indexOf("=")))}</Foreign>,
    <span key="attributes">
      <Foreign>{attributes.join(";").trim()}</Foreign> <Cut truncated={truncated} />
    </span>,
    <Foreign key="from">{`${overHttps ? "https" : "http"}://${host}`}</Foreign>,
  ];
}

export function DocumentEvidence({ evidence: { dom } }: { readonly evidence: Evidence }) {
  return <Read reading={dom}>{(facts) => <Document facts={facts} />}</Read>;
}

function Document({
  facts: { title, metas, metasDropped, forms, formsDropped, subresources, subresourcesDropped },
}: {
  readonly facts: DomFacts;
}) {
  const words = useWords();
  const files = subresources.slice(0, shown.rowsMax);
  return (
    <>
      <dl>
        <Entry name={words.say("report.facts.documentTitle")}>
          <ForeignLine>{title}</ForeignLine>
        </Entry>
        {metas.slice(0, shown.rowsMax).map(({ httpEquiv, name, content, truncated }, at) => (
          <Entry key={String(at)} name={<Foreign>{`meta ${httpEquiv ?? name ?? ""}`}</Foreign>}>
            <Foreign charsMax={shown.recordCharsMax}>{content}</Foreign> <Cut truncated={truncated} />
          </Entry>
        ))}
        {forms.slice(0, shown.rowsMax).map(({ action, method }, at) => (
          <Entry key={String(at)} name={words.say("evidence.document.form")}>
            <ForeignLine>{`${method.toUpperCase()} ${action}`}</ForeignLine>
          </Entry>
        ))}
      </dl>
      <Others count={Math.max(0, metas.length - shown.rowsMax) + metasDropped + Math.max(0, forms.length - shown.rowsMax) + formsDropped} />
      <h4>{words.count("evidence.document.files", subresources.length + subresourcesDropped)}</h4>
      {files.length > 0 && (
        <Table
          caption={words.say("evidence.document.filesCaption")}
          captionUnseen
          columns={[
            { label: words.say("evidence.navigation.url"), header: true },
            { label: words.say("evidence.document.kind") },
            { label: words.say("evidence.document.origin") },
            { label: "integrity" },
          ]}
        >
          <RowGroup>
            {files.map(({ url, kind, sameSite, sameOrigin, integrity }, at) => (
              <Row
                key={String(at)}
                cells={[
                  <ForeignLine key="url">{url}</ForeignLine>,
                  words.say(`evidence.document.kinds.${kind}`),
                  words.say(`evidence.document.origins.${sameOrigin ? "same" : sameSite ? "site" : "other"}`),
                  integrity === null ? null : <Foreign key="integrity">{integrity}</Foreign>,
                ]}
              />
            ))}
          </RowGroup>
        </Table>
      )}
      <Others count={subresources.length - files.length + subresourcesDropped} />
    </>
  );
}

export function RequestsEvidence({ evidence: { requests } }: { readonly evidence: Evidence }) {
  return <Read reading={requests}>{(facts) => <Requests facts={facts} />}</Read>;
}

function Requests({ facts: { total, insecure, insecureDropped, integrityBlocked } }: { readonly facts: RequestsFacts }) {
  const words = useWords();
  return (
    <>
      <p>
        {words.count("evidence.requests.total", total)} {words.count("evidence.requests.insecure", insecure.length + insecureDropped)}
      </p>
      {insecure.length > 0 && (
        <Table
          caption={words.say("evidence.requests.caption")}
          captionUnseen
          columns={[
            { label: words.say("evidence.navigation.url"), header: true },
            { label: words.say("evidence.document.kind") },
            { label: words.say("evidence.requests.outcome") },
          ]}
        >
          <RowGroup>
            {insecure.slice(0, shown.rowsMax).map(({ url, kind, outcome }, at) => (
              <Row
                key={String(at)}
                cells={[
                  <ForeignLine key="url">{url}</ForeignLine>,
                  <Foreign key="kind">{kind}</Foreign>,
                  words.say(`evidence.requests.outcomes.${outcome}`),
                ]}
              />
            ))}
          </RowGroup>
        </Table>
      )}
      <Others count={Math.max(0, insecure.length - shown.rowsMax) + insecureDropped} />
      {integrityBlocked.length > 0 && (
        <>
          <h4>{words.say("evidence.requests.integrityBlocked")}</h4>
          <ul>
            {integrityBlocked.slice(0, shown.rowsMax).map((url, at) => (
              <li key={String(at)}>
                <ForeignLine>{url}</ForeignLine>
              </li>
            ))}
          </ul>
          <Others count={integrityBlocked.length - shown.rowsMax} />
        </>
      )}
    </>
  );
}
