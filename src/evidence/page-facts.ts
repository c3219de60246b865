/** Facts of the page probe: what the browser saw. */
import { count, date, type Fact, fields, flag, list, literalOf, orAbsent, orNull, text, wholeNumber } from "./fields.ts";
import { answerFields, headerValue, hopSchema, httpAnswerSchema, url } from "./http-facts.ts";
import * as limits from "./limits.ts";
import { advisorySeverities } from "./limits.ts";

/** Characters of a CVE number or another identifier of an advisory. */
const identifierCharsMax = 40;
const protocolName = text(limits.protocolCharsMax);

/** Path of the browser to the page. */
export const navigation = fields({
  /** Redirect answers in order; empty if the first URL was not redirected. */
  hops: list(hopSchema, limits.hopsMax),
  finalUrl: url,
  finalStatus: count,
  /** Address that the SSRF guard pinned for the final host; null if the browser did not connect. */
  remoteAddress: orNull(text(limits.addressCharsMax)),
  /** Connection parameters negotiated with the final host; null over plain http. */
  security: orNull(
    fields({
      /** Chromium's name, for example `TLS 1.3`. */
      protocol: protocolName,
      cipher: protocolName,
      /** Key exchange of TLS 1.2 and older; empty for TLS 1.3. */
      keyExchange: protocolName,
      certificateTransparency: literalOf("compliant", "not-compliant", "unknown"),
    }),
  ),
  /** The final answer if it is not the page, for example with status 4xx. The `page` reading then fails, but these header fields come from the server. */
  errorAnswer: orAbsent(httpAnswerSchema),
});
export type NavigationFacts = Fact<typeof navigation>;

/** Set-Cookie line of a first-party response, with the value replaced by `<redacted>`. */
const setCookieLine = fields({
  host: url,
  /** True if the line was received over https. */
  overHttps: flag,
  /** Name, `=`, `<redacted>` and the attributes as sent; at most `headerValueCharsMax` characters. */
  line: headerValue,
  truncated: flag,
  /** Lower bound of the random bits of the value. Absent for no bits, for cut lines, and in evidence of older versions. */
  valueRandomBits: orAbsent(wholeNumber(limits.randomBitsMax)),
});
export type SetCookieLine = Fact<typeof setCookieLine>;

/** Answer with the main document. */
export const pageSchema = fields({
  ...answerFields,
  /** Lower-case media type from the browser, without parameters, at most `headerValueCharsMax` characters; null if absent. */
  mediaType: orNull(text(limits.headerValueCharsMax)),
  /** Lines of the main document and its redirects by arrival, then lines of first-party subresources by URL. */
  setCookies: list(setCookieLine, limits.setCookieLinesMax),
  /** Number of lines beyond `setCookieLinesMax` that were dropped, and of answers whose lines the browser never reported. */
  setCookiesDropped: count,
});
export type PageFacts = Fact<typeof pageSchema>;

const attribute = text(limits.attributeCharsMax);

const metaElement = fields({
  /** Lower-case `http-equiv`, or null. */
  httpEquiv: orNull(attribute),
  /** Lower-case `name`, or null. */
  name: orNull(attribute),
  content: headerValue,
  truncated: flag,
});
export type MetaElement = Fact<typeof metaElement>;

const subresource = fields({
  url,
  /** Element kind, not file type. A link element with modulepreload is a script. */
  kind: literalOf("script", "style", "preload", "other"),
  /** The integrity attribute as written, or the value of an import map for a module without the attribute; null if absent. */
  integrity: orNull(text(limits.integrityCharsMax)),
  /** The crossorigin attribute as written (`""` means anonymous, as for every module); null if absent. */
  crossOrigin: orNull(attribute),
  /** True for the same registrable domain as the page. */
  sameSite: flag,
  /** True for the same scheme, host and port as the page. */
  sameOrigin: flag,
});
export type Subresource = Fact<typeof subresource>;

const otherSiteFile = fields({
  url,
  kind: literalOf("script", "style"),
  /** True if only link elements of type preload or modulepreload asked for it. */
  preloaded: flag,
  /** True if only frames, whose documents are not read, or workers asked for it. */
  inFrame: flag,
  /** True for a module import, and for a request without CORS: no attribute can have protected it. */
  unguarded: flag,
  /** The address of another site that answered; only if `url` is an address of the page's site, which redirects. */
  answeredBy: orAbsent(url),
});
export type OtherSiteFile = Fact<typeof otherSiteFile>;

/** DOM as the browser built it, after load and a settling time. */
export const dom = fields({
  /** Only these: http-equiv content-security-policy* in the head, content-type, name referrer, and charset (as `name: "charset"`). */
  metas: list(metaElement, limits.metaElementsMax),
  metasDropped: count,
  subresources: list(subresource, limits.subresourcesMax),
  subresourcesDropped: count,
  /** Integrity of modules from import maps, at most `subresourcesMax`. It also stands at the elements of these modules. Older evidence lacks it. */
  importIntegrity: orAbsent(list(fields({ url, integrity: text(limits.integrityCharsMax) }), limits.subresourcesMax)),
  /**
   * Scripts and style sheets of other sites that the page, frames and workers of its origin requested. The list lacks files that a policy
   * of the page blocked. Older evidence lacks the list, or files of workers in it.
   */
  otherSites: orAbsent(list(otherSiteFile, limits.otherSitesMax)),
  otherSitesDropped: orAbsent(count),
  /** Absolute action URL and method of each form, in document order. */
  forms: list(fields({ action: url, method: attribute }), limits.formsMax),
  formsDropped: count,
  title: text(limits.titleCharsMax),
  /** Encoding that the browser used, for example `UTF-8`. Older evidence lacks it. */
  characterSet: orAbsent(attribute),
  /** True if elements that the probes read still changed after the longest settling time. */
  stillChanging: orAbsent(flag),
});
export type DomFacts = Fact<typeof dom>;

const markupText = text(limits.markupTextCharsMax);

/** Attributes of a submit button that replace the attributes of its form; null if absent. */
const submitter = fields({
  /** Absolute URL. */
  action: orNull(url),
  /** Lower case, as written. */
  method: orNull(markupText),
});
export type Submitter = Fact<typeof submitter>;

/** Form with a password field that browsers would send: it has a name and is enabled. */
const passwordForm = fields({
  /** Absolute URL; null without an action attribute. */
  action: orNull(url),
  /** Lower case, as written; null without a method attribute. */
  method: orNull(markupText),
  /** Submit buttons of the form, at most `submittersMax`. */
  submitters: list(submitter, limits.submittersMax),
});
export type PasswordForm = Fact<typeof passwordForm>;

const outlineLink = fields({ href: markupText, text: markupText });
export type OutlineLink = Fact<typeof outlineLink>;

/** First parts of the document, enough to recognise the page as a server's own. */
const documentOutline = fields({
  title: markupText,
  /** Text of the first h1 element; empty without one. */
  heading: markupText,
  /** Lower-case names of the first elements in the body. */
  bodyElements: list(markupText, limits.bodyElementsMax),
  /** First links, with the href attribute and the text as written. */
  links: list(outlineLink, limits.linksMax),
  /** The last link of the document; null without a link. */
  lastLink: orNull(outlineLink),
});
export type DocumentOutline = Fact<typeof documentOutline>;

/** Inline code that a policy can forbid. Event handlers and style attributes are attributes of elements. */
const inlineCode = fields({
  scripts: count,
  styles: count,
  handlers: count,
  styleAttributes: count,
  /** SHA-256 as policies spell it, of the first pieces of each kind. Code that is too long has none. */
  hashes: list(fields({ kind: literalOf("script", "style", "handler"), hash: text(limits.hashCharsMax) }), limits.inlineHashesMax * 3),
});
export type InlineCodeFacts = Fact<typeof inlineCode>;

/** Parts of the document that `dom` lacks, read at the same time. Older evidence lacks this reading. */
export const markup = fields({
  /** Submit buttons with a formaction attribute: its absolute URL, and the method that applies (HTML standard, section 4.10.19.6). */
  formActions: list(fields({ action: url, method: markupText }), limits.formsMax),
  formActionsDropped: count,
  /** Number of password fields, with those outside of forms. */
  passwordFields: count,
  passwordForms: list(passwordForm, limits.passwordFormsMax),
  passwordFormsDropped: count,
  /** Contents of the meta elements named generator. */
  generators: list(markupText, limits.generatorsMax),
  generatorsDropped: count,
  /** Absolute URLs of the link elements of type icon. */
  icons: list(url, limits.iconsMax),
  outline: documentOutline,
  /** Absent for a document of too many elements, and in older evidence. */
  inlineCode: orAbsent(inlineCode),
});
export type MarkupFacts = Fact<typeof markup>;

const loadedOrigin = fields({
  /** Chromium's resource type in lower case; `document` is a frame. */
  kind: protocolName,
  /** As in `https://cdn.example`, or the scheme of an address without a host, as in `data:`. */
  origin: url,
});
export type LoadedOrigin = Fact<typeof loadedOrigin>;

const cspViolation = fields({
  directive: text(limits.attributeCharsMax),
  /** URL that was blocked, the first one of its origin; `inline`, `eval`, `wasm-eval` or `trusted-types` without a URL. */
  blocked: url,
  /** True if the policy only reports. */
  reportOnly: flag,
});
export type CspViolation = Fact<typeof cspViolation>;

/** Requests of the page apart from the main document. */
export const requests = fields({
  total: count,
  /** Requests over plain http (or ws) from a page served over https. */
  insecure: list(
    fields({
      url,
      /** Chromium's resource type in lower case: script, stylesheet, image, media, font, xhr, fetch, websocket, document ... */
      kind: protocolName,
      outcome: literalOf("loaded", "blocked", "upgraded"),
    }),
    limits.insecureRequestsMax,
  ),
  insecureDropped: count,
  /** Subresources that the browser blocked because of an integrity mismatch. */
  integrityBlocked: list(url, limits.subresourcesMax),
  /** Files that the browser did not request because of an Integrity-Policy. Older evidence lacks the list. */
  integrityPolicyBlocked: orAbsent(list(url, limits.subresourcesMax)),
  /** Violations of policies during the visit, one for each directive and origin. Older evidence lacks the list. */
  cspViolations: orAbsent(list(cspViolation, limits.cspViolationsMax)),
  cspViolationsDropped: orAbsent(count),
  /** Origins from which the page and frames of its origin load, also before redirects. Older evidence lacks the list. */
  loadedOrigins: orAbsent(list(loadedOrigin, limits.loadedOriginsMax)),
  loadedOriginsDropped: orAbsent(count),
});
export type RequestsFacts = Fact<typeof requests>;

/** Script file that the page, or a frame or a worker of its origin, loaded completely. */
const scriptFile = fields({
  /** URL that the page requested. */
  url,
  /** URL that answered after redirects; null if it is the same. */
  answeredBy: orNull(url),
  /** True if the URL that answered belongs to the registrable domain of the page. */
  sameSite: flag,
  /** True if a worker imported it: no integrity of the document applies there. Absent otherwise, and in older evidence. */
  inWorker: orAbsent(flag),
});
export type ScriptFile = Fact<typeof scriptFile>;

export const scripts = fields({
  /** By URL, at most `scriptFilesMax`. Inline scripts and data: URLs are not files. */
  files: list(scriptFile, limits.scriptFilesMax),
  /** Number of further files, and of workers whose imports are not all known. */
  filesDropped: count,
});
export type ScriptsFacts = Fact<typeof scripts>;

const version = text(limits.libraryVersionCharsMax);

/** Published vulnerability in a range of versions. */
const libraryAdvisory = fields({
  /** First affected version; null if all versions before `below` are affected. */
  atOrAbove: orNull(version),
  /** First later version that is not affected. `999.999.999`: every version is affected. */
  below: version,
  /** Versions inside the range that are not affected. */
  excludes: list(version, limits.advisoryExcludesMax),
  severity: literalOf(...advisorySeverities),
  /** CVE numbers, or GHSA identifiers if there is no CVE number. */
  identifiers: list(text(identifierCharsMax), limits.advisoryIdentifiersMax),
});
export type LibraryAdvisory = Fact<typeof libraryAdvisory>;

/** `url`: named by its URL. `banner`: comment in the first characters of the file. `page`: stated by a variable or attribute of the page. */
const libraryDetection = literalOf("url", "banner", "page");
export type LibraryDetection = Fact<typeof libraryDetection>;

/** One version of a library that the page loaded. */
const scriptLibrary = fields({
  /** Name in the list of advisories, such as `jquery`. */
  name: text(limits.libraryNameCharsMax),
  version,
  detectedBy: list(libraryDetection, libraryDetection.anyOf.length),
  /** First file by URL; null if only the page names the library. */
  url: orNull(url),
  /** Advisories that end above this version, whether or not they affect it. */
  advisories: list(libraryAdvisory, limits.advisoriesPerLibraryMax),
});
export type ScriptLibrary = Fact<typeof scriptLibrary>;

export const scriptLibraries = fields({
  /** Date of the list of advisories, as in `2026-08-22`. */
  advisoriesDate: date,
  /** By name and version, at most `scriptLibrariesMax`. */
  libraries: list(scriptLibrary, limits.scriptLibrariesMax),
  librariesDropped: count,
  /** Number of script files whose first characters were not read, for example because of their size. */
  bannersUnread: count,
  /** False if the variables of the page were not read. */
  variablesRead: flag,
});
export type ScriptLibrariesFacts = Fact<typeof scriptLibraries>;

/** Coverage of names by the HSTS preload list of browsers. The optional fields are absent for names that no list can contain. */
export const hstsPreload = fields({
  hostPreloaded: flag,
  registrableDomainPreloaded: flag,
  /** Whether names below the host are covered too. Absent for a host that is not preloaded, and if only the browser has it. */
  subdomainsPreloaded: orAbsent(flag),
  /** The newer source: the browser's built-in list, if the browser reveals it, or the list file. */
  decidedBy: orAbsent(literalOf("browser", "list")),
  /** Date of the list file, `YYYY-MM-DD`. */
  listDate: orAbsent(date),
  /** True if the browser revealed its list, and the two sources differ. */
  sourcesDiffer: orAbsent(flag),
});
export type HstsPreloadFacts = Fact<typeof hstsPreload>;
