/** Evidence of the page itself: headers, cookies, document and requests. */
import type { Evidence } from "../../evidence/evidence.ts";
import type { HttpAnswer } from "../../evidence/http-facts.ts";
import type { DomFacts, PageFacts, RequestsFacts, SetCookieLine } from "../../evidence/page-facts.ts";
import { DataTable } from "../components/table.tsx";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { displayLimits, Entry, HeaderTable, OmittedCount, ReadingContent, TruncatedNote, UntrustedLine } from "./evidence-blocks.tsx";
import { MarkupEntries } from "./markup.tsx";

/** An error page is not the page, but its header fields are shown: the rows about HSTS may rest on them. */
export function HeadersEvidence({ evidence: { page, navigation } }: { readonly evidence: Evidence }) {
  const errorAnswer = navigation.status === "read" ? navigation.facts.errorAnswer : undefined;
  return (
    <>
      <ReadingContent reading={page}>{(facts) => <Answer answer={facts} mediaType={facts.mediaType} />}</ReadingContent>
      {errorAnswer !== undefined && <Answer answer={errorAnswer} mediaType={null} />}
    </>
  );
}

function Answer({ answer, mediaType }: { readonly answer: HttpAnswer; readonly mediaType: string | null }) {
  const i18n = useI18n();
  const { url, status, headers, headersDropped } = answer;
  return (
    <>
      <p>
        <UntrustedLine>{url}</UntrustedLine>: {i18n.t("report.facts.status", { status })}
        {mediaType !== null && (
          <>
            , <UntrustedText>{mediaType}</UntrustedText>
          </>
        )}
      </p>
      <HeaderTable caption={i18n.t("evidence.parts.headers")} headers={headers} dropped={headersDropped} />
    </>
  );
}

export function CrossOriginEvidence({ evidence: { crossOrigin } }: { readonly evidence: Evidence }) {
  const i18n = useI18n();
  return (
    <ReadingContent reading={crossOrigin}>
      {({ originSent, status, headers }) => (
        <>
          <p>
            {i18n.t("evidence.crossOrigin.asked")} <UntrustedText>{originSent}</UntrustedText>: {i18n.t("report.facts.status", { status })}
          </p>
          <HeaderTable caption={i18n.t("evidence.parts.crossOrigin")} headers={headers} dropped={0} />
        </>
      )}
    </ReadingContent>
  );
}

export function CookiesEvidence({ evidence: { page } }: { readonly evidence: Evidence }) {
  return <ReadingContent reading={page}>{(facts) => <Cookies facts={facts} />}</ReadingContent>;
}

function Cookies({ facts: { setCookies, setCookiesDropped } }: { readonly facts: PageFacts }) {
  const i18n = useI18n();
  const cookies = distinctCookies(setCookies);
  const lines = cookies.slice(0, displayLimits.rowsMax);
  if (lines.length === 0) return <p class="muted">{i18n.t("evidence.cookies.none")}</p>;
  const origins = [...new Set(setCookies.map(originOf))];
  const [onlyOrigin] = origins;
  return (
    <>
      {origins.length === 1 && onlyOrigin !== undefined && (
        <p class="muted">
          {i18n.t("evidence.cookies.from")} <UntrustedText>{onlyOrigin}</UntrustedText>
        </p>
      )}
      <DataTable
        caption={i18n.t("evidence.parts.cookies")}
        captionUnseen
        rows={lines}
        columns={[
          { label: i18n.t("evidence.cookies.name"), cell: ({ line }) => <UntrustedText>{nameAndAttributes(line).name}</UntrustedText> },
          { label: i18n.t("evidence.cookies.attributes"), cell: CookieAttributes },
          ...(origins.length === 1
            ? []
            : [
                {
                  label: i18n.t("evidence.cookies.from"),
                  cell: (cookie: SetCookieLine) => <UntrustedText>{originOf(cookie)}</UntrustedText>,
                },
              ]),
        ]}
      />
      <OmittedCount count={cookies.length - lines.length + setCookiesDropped} />
    </>
  );
}

/** Redirects and frames may set the same cookie again: equal lines of one origin are one row. */
export function distinctCookies(lines: PageFacts["setCookies"]): PageFacts["setCookies"] {
  return [...new Map(lines.map((cookie) => [`${originOf(cookie)} ${cookie.line}`, cookie])).values()];
}

function originOf({ host, overHttps }: SetCookieLine): string {
  return `${overHttps ? "https" : "http"}://${host}`;
}

/** The name ends at the first equals sign, the pair at the first semicolon (RFC 6265bis section 5.6). Cookie values were redacted. */
function nameAndAttributes(line: string) {
  const [pair = "", ...attributes] = line.split(";");
  return { name: pair.slice(0, Math.max(0, pair.indexOf("="))), attributes: attributes.join(";").trim() };
}

function CookieAttributes({ line, truncated }: SetCookieLine) {
  return (
    <span>
      <UntrustedText>{nameAndAttributes(line).attributes}</UntrustedText> <TruncatedNote truncated={truncated} />
    </span>
  );
}

export function DocumentEvidence({ evidence: { dom, markup } }: { readonly evidence: Evidence }) {
  return (
    <>
      <ReadingContent reading={markup}>{(facts) => <MarkupEntries facts={facts} />}</ReadingContent>
      <ReadingContent reading={dom}>{(facts) => <Document facts={facts} />}</ReadingContent>
    </>
  );
}

function Document({
  facts: { title, metas, metasDropped, forms, formsDropped, subresources, subresourcesDropped },
}: {
  readonly facts: DomFacts;
}) {
  const i18n = useI18n();
  const files = subresources.slice(0, displayLimits.rowsMax);
  return (
    <>
      <dl>
        <Entry name={i18n.t("report.facts.documentTitle")}>
          <UntrustedLine>{title}</UntrustedLine>
        </Entry>
        {metas.slice(0, displayLimits.rowsMax).map(({ httpEquiv, name, content, truncated }, at) => (
          <Entry key={String(at)} name={<UntrustedText>{`meta ${httpEquiv ?? name ?? ""}`}</UntrustedText>}>
            <UntrustedText charsMax={displayLimits.recordCharsMax}>{content}</UntrustedText> <TruncatedNote truncated={truncated} />
          </Entry>
        ))}
        {forms.slice(0, displayLimits.rowsMax).map(({ action, method }, at) => (
          <Entry key={String(at)} name={i18n.t("evidence.document.form")}>
            <UntrustedLine>{`${method.toUpperCase()} ${action}`}</UntrustedLine>
          </Entry>
        ))}
      </dl>
      <OmittedCount
        count={
          Math.max(0, metas.length - displayLimits.rowsMax) +
          metasDropped +
          Math.max(0, forms.length - displayLimits.rowsMax) +
          formsDropped
        }
      />
      <h4>{i18n.count("evidence.document.files", subresources.length + subresourcesDropped)}</h4>
      {files.length > 0 && (
        <DataTable
          caption={i18n.t("evidence.document.filesCaption")}
          captionUnseen
          rows={files}
          columns={[
            { label: i18n.t("evidence.navigation.url"), cell: ({ url }) => <UntrustedLine>{url}</UntrustedLine> },
            { label: i18n.t("evidence.document.kind"), cell: ({ kind }) => i18n.t(`evidence.document.kinds.${kind}`) },
            {
              label: i18n.t("evidence.document.origin"),
              cell: ({ sameSite, sameOrigin }) => i18n.t(`evidence.document.origins.${sameOrigin ? "same" : sameSite ? "site" : "other"}`),
            },
            { label: "integrity", cell: ({ integrity }) => (integrity === null ? null : <UntrustedText>{integrity}</UntrustedText>) },
          ]}
        />
      )}
      <OmittedCount count={subresources.length - files.length + subresourcesDropped} />
    </>
  );
}

export function RequestsEvidence({ evidence: { requests } }: { readonly evidence: Evidence }) {
  return <ReadingContent reading={requests}>{(facts) => <Requests facts={facts} />}</ReadingContent>;
}

function Requests({ facts: { total, insecure, insecureDropped, integrityBlocked } }: { readonly facts: RequestsFacts }) {
  const i18n = useI18n();
  return (
    <>
      <p>
        {i18n.count("evidence.requests.total", total)} {i18n.count("evidence.requests.insecure", insecure.length + insecureDropped)}
      </p>
      {insecure.length > 0 && (
        <DataTable
          caption={i18n.t("evidence.requests.caption")}
          captionUnseen
          rows={insecure.slice(0, displayLimits.rowsMax)}
          columns={[
            { label: i18n.t("evidence.navigation.url"), cell: ({ url }) => <UntrustedLine>{url}</UntrustedLine> },
            { label: i18n.t("evidence.document.kind"), cell: ({ kind }) => <UntrustedText>{kind}</UntrustedText> },
            { label: i18n.t("evidence.requests.outcome"), cell: ({ outcome }) => i18n.t(`evidence.requests.outcomes.${outcome}`) },
          ]}
        />
      )}
      <OmittedCount count={Math.max(0, insecure.length - displayLimits.rowsMax) + insecureDropped} />
      {integrityBlocked.length > 0 && (
        <>
          <h4>{i18n.t("evidence.requests.integrityBlocked")}</h4>
          <ul>
            {integrityBlocked.slice(0, displayLimits.rowsMax).map((url, at) => (
              <li key={String(at)}>
                <UntrustedLine>{url}</UntrustedLine>
              </li>
            ))}
          </ul>
          <OmittedCount count={integrityBlocked.length - displayLimits.rowsMax} />
        </>
      )}
    </>
  );
}
