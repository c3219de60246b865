/** Schema of the facts of the page probe. */
import {
  attributeCharsMax,
  bodyElementsMax,
  formsMax,
  generatorsMax,
  headerValueCharsMax,
  hopsMax,
  iconsMax,
  insecureRequestsMax,
  integrityCharsMax,
  linksMax,
  markupTextCharsMax,
  metaElementsMax,
  passwordFormsMax,
  scriptFilesMax,
  scriptLibrariesMax,
  setCookieLinesMax,
  submittersMax,
  subresourcesMax,
  titleCharsMax,
} from "../../evidence/limits.ts";
import type { MarkupFacts, OutlineLink } from "../../evidence/markup-facts.ts";
import type { DomFacts, HstsPreloadFacts, NavigationFacts, PageFacts, RequestsFacts, SetCookieLine } from "../../evidence/page-facts.ts";
import type { ScriptLibrariesFacts, ScriptsFacts } from "../../evidence/script-facts.ts";
import { libraryVersionCharsMax } from "../../parse/library-version.ts";
import {
  advisoriesPerLibraryMax,
  advisoryExcludesMax,
  advisoryIdentifiersMax,
  type LibraryAdvisory,
  libraryNameCharsMax,
} from "../../parse/script-advisories.ts";
import { count, date, fields, flag, list, literalOf, orAbsent, orNull, schemaFor, text, wholeNumber } from "./fields.ts";
import { answerFields, answerSchema, headerValue, url } from "./http-schema.ts";

/** Characters of an IP address in text. */
export const addressCharsMax = 64;
/** Characters of a protocol, a suite or a kind of request, as the browser or the TLS library names it. */
export const protocolCharsMax = 128;
/** Characters of a CVE number or another identifier of an advisory. */
const identifierCharsMax = 40;
/** Highest estimate of the random bits of a cookie. */
const randomBitsMax = 256;
const protocolName = text(protocolCharsMax);

const navigation = schemaFor<NavigationFacts>()(
  fields({
    hops: list(fields({ ...answerFields, internal: flag }), hopsMax),
    finalUrl: url,
    finalStatus: count,
    remoteAddress: orNull(text(addressCharsMax)),
    security: orNull(
      fields({
        protocol: protocolName,
        cipher: protocolName,
        keyExchange: protocolName,
        certificateTransparency: literalOf("compliant", "not-compliant", "unknown"),
      }),
    ),
    errorAnswer: orAbsent(answerSchema),
  }),
);

const setCookie = schemaFor<SetCookieLine>()(
  fields({ host: url, overHttps: flag, line: headerValue, truncated: flag, valueRandomBits: orAbsent(wholeNumber(randomBitsMax)) }),
);

const page = schemaFor<PageFacts>()(
  fields({
    ...answerFields,
    mediaType: orNull(text(headerValueCharsMax)),
    setCookies: list(setCookie, setCookieLinesMax),
    setCookiesDropped: count,
  }),
);

const attribute = text(attributeCharsMax);

const dom = schemaFor<DomFacts>()(
  fields({
    metas: list(fields({ httpEquiv: orNull(attribute), name: orNull(attribute), content: headerValue, truncated: flag }), metaElementsMax),
    metasDropped: count,
    subresources: list(
      fields({
        url,
        kind: literalOf("script", "style", "preload", "other"),
        integrity: orNull(text(integrityCharsMax)),
        crossOrigin: orNull(attribute),
        sameSite: flag,
        sameOrigin: flag,
      }),
      subresourcesMax,
    ),
    subresourcesDropped: count,
    forms: list(fields({ action: url, method: attribute }), formsMax),
    formsDropped: count,
    title: text(titleCharsMax),
  }),
);

const markupText = text(markupTextCharsMax);
const link = schemaFor<OutlineLink>()(fields({ href: markupText, text: markupText }));

const markup = schemaFor<MarkupFacts>()(
  fields({
    formActions: list(fields({ action: url, method: markupText }), formsMax),
    formActionsDropped: count,
    passwordFields: count,
    passwordForms: list(
      fields({
        action: orNull(url),
        method: orNull(markupText),
        submitters: list(fields({ action: orNull(url), method: orNull(markupText) }), submittersMax),
      }),
      passwordFormsMax,
    ),
    passwordFormsDropped: count,
    generators: list(markupText, generatorsMax),
    generatorsDropped: count,
    icons: list(url, iconsMax),
    outline: fields({
      title: markupText,
      heading: markupText,
      bodyElements: list(markupText, bodyElementsMax),
      links: list(link, linksMax),
      lastLink: orNull(link),
    }),
  }),
);

const requests = schemaFor<RequestsFacts>()(
  fields({
    total: count,
    insecure: list(fields({ url, kind: protocolName, outcome: literalOf("loaded", "blocked", "upgraded") }), insecureRequestsMax),
    insecureDropped: count,
    integrityBlocked: list(url, subresourcesMax),
  }),
);

const scripts = schemaFor<ScriptsFacts>()(
  fields({ files: list(fields({ url, answeredBy: orNull(url), sameSite: flag }), scriptFilesMax), filesDropped: count }),
);

const version = text(libraryVersionCharsMax);
const advisory = schemaFor<LibraryAdvisory>()(
  fields({
    atOrAbove: orNull(version),
    below: version,
    excludes: list(version, advisoryExcludesMax),
    severity: literalOf("critical", "high", "medium", "low"),
    identifiers: list(text(identifierCharsMax), advisoryIdentifiersMax),
  }),
);
const waysOfDetection = literalOf("url", "banner", "page");

const scriptLibraries = schemaFor<ScriptLibrariesFacts>()(
  fields({
    advisoriesDate: date,
    libraries: list(
      fields({
        name: text(libraryNameCharsMax),
        version,
        detectedBy: list(waysOfDetection, waysOfDetection.anyOf.length),
        url: orNull(url),
        advisories: list(advisory, advisoriesPerLibraryMax),
      }),
      scriptLibrariesMax,
    ),
    librariesDropped: count,
    bannersUnread: count,
    variablesRead: flag,
  }),
);

const hstsPreload = schemaFor<HstsPreloadFacts>()(
  fields({
    hostPreloaded: flag,
    registrableDomainPreloaded: flag,
    subdomainsPreloaded: orAbsent(flag),
    decidedBy: orAbsent(literalOf("browser", "list")),
    listDate: orAbsent(date),
    sourcesDiffer: orAbsent(flag),
  }),
);

/** By name of the reading. */
export const pageSchemas = { navigation, page, dom, markup, requests, scripts, scriptLibraries, hstsPreload };
