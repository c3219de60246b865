/** What a visit shows of a page beyond the facts of a scan, so that two visits can be compared. No check reads it. */
import { count, type Fact, fields, flag, list, literalOf, orAbsent, orNull, text } from "./fields.ts";
import { url } from "./http-facts.ts";
import { attributeCharsMax, hashCharsMax, protocolCharsMax } from "./limits.ts";

/** Requests of one visit. */
export const requestsObservedMax = 1_000;
/** Errors of scripts and of the browser. */
export const errorsObservedMax = 100;
export const errorCharsMax = 300;
/** Different things that policies blocked or reported. */
export const blockedMax = 300;
/** Names of elements in a document. */
const elementNamesMax = 200;
/** Inline scripts, style elements and event handlers that are listed. */
export const inlineListedMax = 200;
/** First characters of an inline script, as people recognise it. */
export const sampleCharsMax = 60;
/** Injected pieces of code that ran. */
export const canariesMax = 20;
export const canaryCharsMax = 120;

const hash = orNull(text(hashCharsMax));

export const observedRequest = fields({
  url,
  /** Chromium's resource type in lower case. */
  kind: text(protocolCharsMax),
  /** `unfinished`: neither answered nor failed when the page was read. */
  outcome: literalOf("loaded", "blocked", "failed", "unfinished"),
});

export const pageError = fields({
  text: text(errorCharsMax),
  url: orNull(url),
  /** The first line is 1. */
  line: orNull(count),
});

export const blockedByPolicy = fields({
  /** As the browser names it, such as `script-src-elem`. */
  directive: text(attributeCharsMax),
  kind: literalOf("url", "inline", "eval", "wasm-eval", "trusted-types"),
  /** What was to be loaded; null for code. */
  url: orNull(url),
  /** SHA-256 of inline code as policies spell it; null without one, as for event handlers. */
  hash,
  /** Document or script that asked, with a line from 1. */
  file: orNull(url),
  line: orNull(count),
  /** True if a running script asked for it: `'strict-dynamic'` allows what trusted scripts add. */
  byScript: flag,
  /** True if the policy only reports. */
  reportOnly: flag,
});
export type BlockedByPolicy = Fact<typeof blockedByPolicy>;

const inlineCode = fields({
  kind: literalOf("script", "style", "handler"),
  /** Null for code that was too long to be read. */
  hash,
  sample: text(sampleCharsMax),
  /** True for an element with a nonce. */
  nonced: flag,
});

export const documentShape = fields({
  /** Number of elements by name. */
  elements: list(fields({ name: text(attributeCharsMax), count }), elementNamesMax),
  /** Equal for equal trees of element names. */
  structure: text(attributeCharsMax),
  /** Characters of the text that is shown. */
  textChars: count,
  /** In document order. */
  inline: list(inlineCode, inlineListedMax),
  /** Numbers of all, listed or not. */
  inlineScripts: count,
  inlineStyles: count,
  handlers: count,
  styleAttributes: count,
});
export type DocumentShape = Fact<typeof documentShape>;

export const observationSchema = fields({
  /** Apart from the main document, and from frames of other sites. */
  requests: list(observedRequest, requestsObservedMax),
  requestsDropped: count,
  errors: list(pageError, errorsObservedMax),
  errorsDropped: count,
  blocked: list(blockedByPolicy, blockedMax),
  blockedDropped: count,
  /** Null if the document was not read. */
  shape: orNull(documentShape),
  /** True if the page was still loading when it was read. */
  stillLoading: orAbsent(flag),
  /** True if a script of the page hears of what policies block, by the event `securitypolicyviolation`. */
  hearsViolations: orAbsent(flag),
  /** True if the page has a service worker, which visits bypass. */
  serviceWorker: flag,
  /** Names of the injected pieces of code that ran; empty for a visit without. */
  canaries: list(text(canaryCharsMax), canariesMax),
  /** Injected elements that were pressed, whether that ran code or not; absent for a visit without. */
  canariesPressed: orAbsent(count),
  /** Why documents kept the headers of their server although others were asked for; null if they did not. */
  unchanged: orNull(literalOf("document-too-large", "document-unreadable")),
});
export type Observation = Fact<typeof observationSchema>;
export type ObservedRequest = Observation["requests"][number];
export type ObservedError = Observation["errors"][number];
