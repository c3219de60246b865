/** Views of what the browser and the client for plain http saw: answers, cookies, document, requests and scripts. */
import type { HttpAnswer } from "../../evidence/http-facts.ts";
import type { HstsPreloadFacts, PageFacts, SetCookieLine } from "../../evidence/page-facts.ts";
import type { I18n } from "../../text/translator.ts";
import {
  capped,
  cappedTable,
  cut,
  displayLimits,
  entries,
  fileBody,
  foreign,
  headerTable,
  inline,
  line,
  OmittedCount,
  rowTable,
  urlList,
} from "./blocks.tsx";
import type { Views } from "./sections.tsx";

export const pageViews = {
  navigation: {
    part: "navigation",
    hint: ({ hops }, i18n) => i18n.count("evidence.hints.redirects", hops.length),
    show: ({ hops, finalUrl, finalStatus, remoteAddress, security }, i18n) => (
      <>
        {answers(i18n, i18n.t("evidence.parts.navigation"), [
          ...hops,
          { url: finalUrl, status: finalStatus, headers: [], internal: false },
        ])}
        {entries([
          remoteAddress !== null && [i18n.t("evidence.navigation.address"), foreign(remoteAddress)],
          security !== null && [
            i18n.t("evidence.navigation.agreed"),
            foreign([security.protocol, security.keyExchange, security.cipher].filter((part) => part !== "").join(", ")),
          ],
          security !== null && ["Certificate Transparency", i18n.t(`evidence.navigation.transparency.${security.certificateTransparency}`)],
        ])}
      </>
    ),
  },
  hstsPreload: {
    part: "navigation",
    heading: "evidence.readings.hstsPreload",
    show: (facts, i18n) => <p>{preloadSentences(facts, i18n).join(" ")}</p>,
  },
  plainHttp: {
    part: "plainHttp",
    show: ({ outcome, answers: received, stoppedBecause }, i18n) => (
      <>
        <p>{i18n.t(`evidence.plainHttp.${outcome}`)}</p>
        {answers(i18n, i18n.t("evidence.parts.plainHttp"), received)}
        {stoppedBecause !== null && <p>{i18n.t(`evidence.plainHttp.stopped.${stoppedBecause}`)}</p>}
      </>
    ),
  },
  page: {
    part: "headers",
    hint: ({ headers, headersDropped }, i18n) => i18n.count("evidence.hints.headers", headers.length + headersDropped),
    show: (facts, i18n) => answer(facts, facts.mediaType, i18n),
  },
  // An error page is not the page, but its header fields are shown: the rows about HSTS may rest on them.
  errorAnswer: {
    part: "headers",
    needs: "navigation",
    show: ({ errorAnswer }, i18n) => errorAnswer !== undefined && answer(errorAnswer, null, i18n),
  },
  crossOrigin: {
    part: "crossOrigin",
    show: ({ originSent, status, headers }, i18n) => (
      <>
        <p>
          {i18n.t("evidence.crossOrigin.asked")} {foreign(originSent)}: {i18n.t("report.facts.status", { status })}
        </p>
        {headerTable(i18n, i18n.t("evidence.parts.crossOrigin"), headers, 0)}
      </>
    ),
  },
  cookies: {
    part: "cookies",
    hint: ({ setCookies, setCookiesDropped }, i18n) =>
      i18n.count("evidence.hints.cookies", distinctCookies(setCookies).length + setCookiesDropped),
    show: cookies,
  },
  markup: {
    part: "document",
    show: ({ generators, generatorsDropped, formActions, formActionsDropped, passwordForms, passwordFormsDropped }, i18n) => {
      if (generators.length + formActions.length + passwordForms.length === 0) return null;
      const buttons = capped(formActions, formActionsDropped);
      return (
        <>
          {entries([
            ...generators.map((content) => [foreign("meta generator"), foreign(content, displayLimits.recordCharsMax)] as const),
            ...buttons.shown.map(({ action, method }) => [i18n.t("evidence.document.button"), formLine(method, action)] as const),
            ...passwordForms.map(
              ({ action, method }) =>
                [i18n.t("evidence.document.passwordForm"), line(`${(method ?? "get").toUpperCase()} ${action ?? ""}`.trim())] as const,
            ),
          ])}
          <OmittedCount count={buttons.omitted + generatorsDropped + passwordFormsDropped} />
        </>
      );
    },
  },
  dom: {
    part: "document",
    hint: ({ subresources, subresourcesDropped }, i18n) => i18n.count("evidence.document.files", subresources.length + subresourcesDropped),
    show: ({ title, metas, metasDropped, forms, formsDropped, subresources, subresourcesDropped }, i18n) => {
      const shownMetas = capped(metas, metasDropped);
      const shownForms = capped(forms, formsDropped);
      return (
        <>
          {entries([
            [i18n.t("report.facts.documentTitle"), line(title)],
            ...shownMetas.shown.map(
              ({ httpEquiv, name, content, truncated }) =>
                [foreign(`meta ${httpEquiv ?? name ?? ""}`), cut(foreign(content, displayLimits.recordCharsMax), truncated)] as const,
            ),
            ...shownForms.shown.map(({ action, method }) => [i18n.t("evidence.document.form"), formLine(method, action)] as const),
          ])}
          <OmittedCount count={shownMetas.omitted + shownForms.omitted} />
          <h4>{i18n.count("evidence.document.files", subresources.length + subresourcesDropped)}</h4>
          {cappedTable(i18n.t("evidence.document.filesCaption"), capped(subresources, subresourcesDropped), [
            [i18n.t("evidence.navigation.url"), ({ url }) => line(url)],
            [i18n.t("evidence.document.kind"), ({ kind }) => i18n.t(`evidence.document.kinds.${kind}`)],
            [
              i18n.t("evidence.document.origin"),
              ({ sameSite, sameOrigin }) => i18n.t(`evidence.document.origins.${sameOrigin ? "same" : sameSite ? "site" : "other"}`),
            ],
            ["integrity", ({ integrity }) => (integrity === null ? null : foreign(integrity))],
          ])}
        </>
      );
    },
  },
  requests: {
    part: "requests",
    show: ({ total, insecure, insecureDropped, integrityBlocked }, i18n) => (
      <>
        <p>
          {i18n.count("evidence.requests.total", total)} {i18n.count("evidence.requests.insecure", insecure.length + insecureDropped)}
        </p>
        {cappedTable(i18n.t("evidence.requests.caption"), capped(insecure, insecureDropped), [
          [i18n.t("evidence.navigation.url"), ({ url }) => line(url)],
          [i18n.t("evidence.document.kind"), ({ kind }) => foreign(kind)],
          [i18n.t("evidence.requests.outcome"), ({ outcome }) => i18n.t(`evidence.requests.outcomes.${outcome}`)],
        ])}
        {integrityBlocked.length > 0 && <h4>{i18n.t("evidence.requests.integrityBlocked")}</h4>}
        {urlList(integrityBlocked, 0)}
      </>
    ),
  },
  scriptLibraries: {
    part: "scripts",
    heading: "evidence.scripts.libraries",
    hint: ({ libraries, librariesDropped }, i18n) => i18n.count("evidence.hints.libraries", libraries.length + librariesDropped),
    show: ({ advisoriesDate, libraries, librariesDropped, bannersUnread, variablesRead }, i18n) => {
      const lead = libraries.length === 0 ? "evidence.scripts.noLibrary" : "evidence.scripts.lead";
      return (
        <>
          <p class="muted">{i18n.t(lead, { date: advisoriesDate })}</p>
          {cappedTable(i18n.t("evidence.scripts.libraries"), capped(libraries, librariesDropped), [
            [i18n.t("evidence.scripts.library"), ({ name }) => foreign(name)],
            [i18n.t("evidence.scripts.version"), ({ version }) => foreign(version)],
            [
              i18n.t("evidence.scripts.detectedBy"),
              ({ detectedBy }) => detectedBy.map((way) => i18n.t(`evidence.scripts.ways.${way}`)).join(", "),
            ],
            [i18n.t("evidence.navigation.url"), ({ url }) => (url === null ? null : line(url))],
          ])}
          {bannersUnread > 0 && <p class="muted">{i18n.count("evidence.scripts.bannersUnread", bannersUnread)}</p>}
          {!variablesRead && <p class="muted">{i18n.t("evidence.scripts.variablesUnread")}</p>}
        </>
      );
    },
  },
  scripts: {
    part: "scripts",
    heading: "evidence.scripts.otherSites",
    show: ({ files, filesDropped }, i18n) => {
      const others = files.filter(({ sameSite }) => !sameSite).map(({ url, answeredBy }) => answeredBy ?? url);
      if (others.length + filesDropped === 0) return <p class="muted">{i18n.t("evidence.scripts.noOtherSite")}</p>;
      return urlList(others, filesDropped);
    },
  },
  securityTxt: {
    part: "securityTxt",
    show: ({ attempts }, i18n) =>
      attempts.map(({ url, finalUrl, status, contentType, body, truncated, hops = [] }) =>
        inline(
          <p>
            {line(url)}
            {finalUrl !== url && inline(" ", <span aria-hidden="true">&rarr;</span>, " ", line(finalUrl))}:{" "}
            {i18n.t("report.facts.status", { status })}
            {contentType !== null && inline(", ", line(contentType))}
          </p>,
          hops
            .filter(({ certificate }) => certificate === "refused")
            .map((hop) => (
              <p>
                {line(hop.url)}: {i18n.t("evidence.mail.unavailable.certificate-not-accepted")}
              </p>
            )),
          fileBody(body, truncated),
        ),
      ),
  },
} satisfies Partial<Views>;

function formLine(method: string, action: string) {
  return line(`${method.toUpperCase()} ${action}`);
}

function preloadSentences(facts: HstsPreloadFacts, i18n: I18n): readonly string[] {
  const { hostPreloaded, registrableDomainPreloaded, subdomainsPreloaded, decidedBy, listDate, sourcesDiffer } = facts;
  const state = hostPreloaded ? "preloaded" : registrableDomainPreloaded ? "domainPreloaded" : "notPreloaded";
  const sentences = [i18n.t(`evidence.navigation.${state}`)];
  if (subdomainsPreloaded !== undefined)
    sentences.push(i18n.t(`evidence.navigation.${subdomainsPreloaded ? "subdomainsPreloaded" : "subdomainsNotPreloaded"}`));
  if (listDate === undefined) return sentences;
  const date = Number.isNaN(Date.parse(listDate)) ? "-" : i18n.date(listDate);
  sentences.push(i18n.t(`evidence.navigation.${decidedBy === "browser" ? "preloadByBrowser" : "preloadByList"}`, { date }));
  if (sourcesDiffer === true) sentences.push(i18n.t("evidence.navigation.preloadSourcesDiffer", { date }));
  return sentences;
}

type AnswerShown = Pick<HttpAnswer, "url" | "status" | "headers"> & { readonly internal?: boolean };

/** Responses in order, each with its redirect target. */
function answers(i18n: I18n, caption: string, shown: readonly AnswerShown[]) {
  return rowTable(caption, shown, [
    [i18n.t("evidence.navigation.url"), ({ url }) => line(url)],
    [i18n.t("evidence.navigation.status"), ({ status }) => String(status), "numeric"],
    [
      i18n.t("evidence.navigation.leadsTo"),
      ({ headers, internal = false }) => {
        if (internal) return i18n.t("evidence.navigation.internal");
        const location = headers.find(({ name }) => name.toLowerCase() === "location")?.value;
        return location === undefined ? null : line(location);
      },
    ],
  ]);
}

function answer({ url, status, headers, headersDropped }: HttpAnswer, mediaType: string | null, i18n: I18n) {
  return (
    <>
      <p>
        {line(url)}: {i18n.t("report.facts.status", { status })}
        {mediaType !== null && inline(", ", foreign(mediaType))}
      </p>
      {headerTable(i18n, i18n.t("evidence.parts.headers"), headers, headersDropped)}
    </>
  );
}

function cookies({ setCookies, setCookiesDropped }: PageFacts, i18n: I18n) {
  const distinct = distinctCookies(setCookies);
  if (distinct.length === 0) return <p class="muted">{i18n.t("evidence.cookies.none")}</p>;
  const origins = [...new Set(setCookies.map(originOf))];
  const [onlyOrigin] = origins.length === 1 ? origins : [];
  const from = i18n.t("evidence.cookies.from");
  return (
    <>
      {onlyOrigin !== undefined && (
        <p class="muted">
          {from} {foreign(onlyOrigin)}
        </p>
      )}
      {cappedTable(i18n.t("evidence.parts.cookies"), capped(distinct, setCookiesDropped), [
        [i18n.t("evidence.cookies.name"), ({ line: text }) => foreign(nameAndAttributes(text).name)],
        [
          i18n.t("evidence.cookies.attributes"),
          ({ line: text, truncated }) => <span>{cut(foreign(nameAndAttributes(text).attributes), truncated)}</span>,
        ],
        ...(onlyOrigin === undefined ? [[from, (cookie: SetCookieLine) => foreign(originOf(cookie))] as const] : []),
      ])}
    </>
  );
}

/** Redirects and frames may set the same cookie again: equal lines of one origin are one row. */
function distinctCookies(lines: PageFacts["setCookies"]): PageFacts["setCookies"] {
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
