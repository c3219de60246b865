/** Observes one visit of a page: its requests, errors, what policies block, and the shape of its document. */
import { pause } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import type { BrowserPage, CDPSession, Protocol } from "../../browser/browser-page.ts";
import { withinLimits } from "../../evidence/fields.ts";
import * as limits from "../../evidence/limits.ts";
import {
  type BlockedByPolicy,
  blockedMax,
  canariesMax,
  canaryCharsMax,
  type DocumentShape,
  documentShape,
  errorCharsMax,
  errorsObservedMax,
  inlineListedMax,
  type Observation,
  type ObservedError,
  type ObservedRequest,
  requestsObservedMax,
  sampleCharsMax,
} from "../../evidence/observation.ts";
import { boundedText } from "../../evidence/redact.ts";
import { boundedUrl } from "./bounded-response.ts";
import { evaluateIn, type OpenDocument } from "./page-document.ts";
import { callInPage, type DomReader, findInlineCode, hashOfCode, type InlineLimits, type RawInlineCode } from "./page-dom.ts";
import type { CanaryPage, PageOverrides, Unchanged } from "./page-fetch.ts";
import type { PageWorker } from "./page-workers.ts";

/** Characters of inline code whose hash is computed, each and together. The page sends them. */
const codeCharsMax = 100_000;
const allCodeCharsMax = 1_000_000;
/** Canaries that are pressed, and the time that each has to show an effect. */
const pressedMax = 4;
const pressedMs = 300;
/** Documents that a page opens in its own place, redirects apart. One that opens more of them does not come to rest. */
const ownDocumentsMax = 5;
/** Hashes of blocked code that wait for their violation, which follows at once. */
const hashesWaitingMax = 50;

/** Messages of Chromium that name the hash of blocked inline code. Pages cannot write to this log. */
const hashMessage = /^(?:Executing inline (script)|Applying inline (style)).{0,2000}? hash \('(sha256-[A-Za-z0-9+/=]{44})'\)/s;

const kinds: Readonly<Record<string, BlockedByPolicy["kind"]>> = {
  kURLViolation: "url",
  kInlineViolation: "inline",
  kEvalViolation: "eval",
  kWasmEvalViolation: "wasm-eval",
  kTrustedTypesSinkViolation: "trusted-types",
  kTrustedTypesPolicyViolation: "trusted-types",
};

/** Sources of messages about what is observed by itself: violations and requests. */
const otherSources: readonly Protocol.Log.LogEntry["source"][] = ["security", "network"];

type Violation = Protocol.Audits.ContentSecurityPolicyIssueDetails;

export class PageObserver {
  /** Null for a visit without changes. */
  readonly overrides: PageOverrides | null;
  readonly #requests = new Map<string, ObservedRequest>();
  readonly #errors: ObservedError[] = [];
  readonly #blocked = new Map<string, BlockedByPolicy>();
  readonly #hashes: { readonly kind: string; readonly place: string; readonly hash: string }[] = [];
  readonly #canaries = new Set<string>();
  #shape: DocumentShape | null = null;
  #unchanged: Unchanged | null = null;
  #serviceWorker = false;
  #stillLoading = false;
  #hearsViolations = false;
  #canariesPressed: number | null = null;
  #documents = 0;
  #requestsDropped = 0;
  #errorsDropped = 0;
  #blockedDropped = 0;

  constructor(overrides: PageOverrides | null) {
    this.overrides = overrides;
  }

  readonly onUnchanged = (because: Unchanged): void => {
    this.#unchanged ??= because;
  };

  /** Called for a page without a load event in time. */
  readonly onStillLoading = (): void => {
    this.#stillLoading = true;
  };

  readonly onCanary = (name: string): void => {
    this.#canaries.add(boundedText(name, canaryCharsMax).text);
  };

  /** Needs Network, Audits and Log enabled on the session. Resolves when the page may be opened. */
  async watch({ session, targetId }: BrowserPage): Promise<void> {
    this.#listen(session, targetId);
    session.on("Log.entryAdded", ({ entry }) => this.#onLogEntry(entry));
    session.on("Audits.issueAdded", ({ issue }) => this.#onViolation(issue.details.contentSecurityPolicyIssueDetails));
    session.on("Runtime.exceptionThrown", ({ exceptionDetails: { text, exception, url, lineNumber } }) =>
      this.#onError(`${text} ${exception?.description?.split("\n")[0] ?? String(exception?.value ?? "")}`, url, lineNumber),
    );
    session.on("Runtime.consoleAPICalled", ({ type, args, stackTrace }) => {
      if (type !== "error" && type !== "assert") return;
      const [caller] = stackTrace?.callFrames ?? [];
      this.#onError(args.map(({ value, description }) => String(value ?? description ?? "")).join(" "), caller?.url, caller?.lineNumber);
    });
    const { token = null } = this.overrides?.canaries ?? {};
    session.on("Runtime.bindingCalled", ({ name, payload }) => {
      if (name === token && this.#canaries.size < canariesMax) this.onCanary(payload);
    });
    await Promise.all([
      session.send("Runtime.enable"),
      session.send("Network.setBypassServiceWorker", { bypass: true }),
      // Pages replace methods of the console, and not only hostile ones.
      token === null ? null : session.send("Runtime.addBinding", { name: token }),
    ]);
  }

  watchWorker({ session, targetId, isService }: PageWorker): void {
    this.#serviceWorker ||= isService;
    this.#listen(session, targetId);
    session.on("Audits.issueAdded", ({ issue }) => this.#onViolation(issue.details.contentSecurityPolicyIssueDetails));
    // A worker may end before it answers.
    void session.send("Audits.enable").catch(() => {});
  }

  /** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. @throws TypeError for a wrong structure. */
  readonly read = async (document: OpenDocument, deadlineMs: number): Promise<void> => {
    const call = callInPage(readShape, { ...limits, inlineListedMax, codeCharsMax, allCodeCharsMax }, `${findInlineCode}`);
    const { codes, ...shape } = (await evaluateIn(document, call, deadlineMs)) as RawShape;
    const inline = codes.slice(0, inlineListedMax).map(({ kind, code, nonced, isWhole }) => ({
      kind,
      hash: isWhole ? hashOfCode(code) : null,
      sample: boundedText(String(code).trim(), sampleCharsMax).text,
      nonced,
    }));
    this.#hearsViolations = await hearsViolations(document, deadlineMs);
    this.#shape = withinLimits(documentShape, { ...shape, inline }, (text, charsMax) => boundedText(text, charsMax).text);
    const { canaries = null } = this.overrides ?? {};
    if (canaries !== null) await this.#touchCanaries(document, canaries, deadlineMs);
  };

  /** Presses what only a person would press, and looks where the frame of the base element points to. */
  async #touchCanaries(document: OpenDocument, { host }: CanaryPage, deadlineMs: number): Promise<void> {
    const { session } = document;
    const base = await evaluateIn(document, `(${baseOfCanary})()`, deadlineMs);
    if (typeof base === "string" && URL.parse(base)?.hostname === host) this.onCanary("base");
    await session.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    this.#canariesPressed = 0;
    for (let at = 0; at < pressedMax; at++) {
      const focused = await evaluateIn(document, `(${focusCanary})(${at})`, deadlineMs);
      if (focused === "none") return;
      if (focused !== "canary") continue;
      const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
      await session.send("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...key }, { timeout: deadlineMs });
      await session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key }, { timeout: deadlineMs });
      this.#canariesPressed++;
      await pause(deadlineClock, pressedMs);
    }
  }

  observation(): Observation {
    return {
      requests: [...this.#requests.values()],
      requestsDropped: this.#requestsDropped,
      errors: this.#errors,
      errorsDropped: this.#errorsDropped,
      blocked: [...this.#blocked.values()],
      blockedDropped: this.#blockedDropped,
      shape: this.#shape,
      ...(this.#stillLoading ? { stillLoading: true } : {}),
      ...(this.#hearsViolations ? { hearsViolations: true } : {}),
      serviceWorker: this.#serviceWorker,
      unchanged: this.#unchanged,
      canaries: [...this.#canaries].sort(),
      ...(this.#canariesPressed === null ? {} : { canariesPressed: this.#canariesPressed }),
    };
  }

  #listen(session: CDPSession, targetId: string): void {
    session.on("Network.requestWillBeSent", ({ requestId, request, type = "Other", frameId, loaderId, redirectResponse }) => {
      const isMainDocument = type === "Document" && frameId === targetId && requestId === loaderId;
      if (isMainDocument && redirectResponse === undefined && ++this.#documents > ownDocumentsMax) this.onStillLoading();
      // The browser tries an upgrade or asks before others on its own account: both follow from the request itself.
      if (isMainDocument || type === "Preflight" || !/^https?:/i.test(request.url) || this.#requests.has(requestId)) return;
      this.#keepRequest(requestId, { url: boundedUrl(request.url), kind: type.toLowerCase(), outcome: "unfinished" });
    });
    session.on("Network.webSocketCreated", ({ requestId, url }) =>
      this.#keepRequest(requestId, { url: boundedUrl(url), kind: "websocket", outcome: "unfinished" }),
    );
    session.on("Network.webSocketHandshakeResponseReceived", ({ requestId }) => this.#end(requestId, "loaded"));
    session.on("Network.responseReceived", ({ requestId, response }) => this.#end(requestId, response.status >= 400 ? "failed" : "loaded"));
    session.on("Network.loadingFailed", ({ requestId, blockedReason, canceled = false }) => {
      const before = this.#requests.get(requestId)?.outcome;
      // A page may give up what it has, such as the rest of a video.
      if (blockedReason !== undefined) this.#end(requestId, "blocked");
      else if (before === "unfinished" && !canceled) this.#end(requestId, "failed");
    });
  }

  #keepRequest(requestId: string, request: ObservedRequest): void {
    if (this.#requests.size >= requestsObservedMax) this.#requestsDropped++;
    else this.#requests.set(requestId, request);
  }

  #end(requestId: string, outcome: ObservedRequest["outcome"]): void {
    const request = this.#requests.get(requestId);
    if (request !== undefined) this.#requests.set(requestId, { ...request, outcome });
  }

  #onError(text: string, url?: string, lineNumber?: number): void {
    if (this.#errors.length >= errorsObservedMax) this.#errorsDropped++;
    else this.#errors.push({ text: boundedText(text.trim(), errorCharsMax).text, ...placeOf(url, lineNumber) });
  }

  #onLogEntry({ source, level, text, url, lineNumber }: Protocol.Log.LogEntry): void {
    const [, script, style, hash] = source === "security" ? (hashMessage.exec(text) ?? []) : [];
    if (hash !== undefined) {
      this.#hashes.push({ kind: script ?? style ?? "", place: `${url} ${lineNumber}`, hash });
      if (this.#hashes.length > hashesWaitingMax) this.#hashes.shift();
    }
    if (level === "error" && !otherSources.includes(source)) this.#onError(text, url, lineNumber);
  }

  #onViolation(violation: Violation | undefined): void {
    if (violation === undefined) return;
    const { blockedURL, violatedDirective, isReportOnly: reportOnly, contentSecurityPolicyViolationType: type } = violation;
    const { sourceCodeLocation: source } = violation;
    const kind = kinds[type] ?? "url";
    const blocked: BlockedByPolicy = {
      directive: boundedText(violatedDirective, limits.attributeCharsMax).text,
      kind,
      url: blockedURL === undefined || kind !== "url" ? null : boundedUrl(blockedURL),
      hash: kind === "inline" ? this.#takeHash(violatedDirective, `${source?.url} ${source?.lineNumber}`) : null,
      ...(({ url: file, line }) => ({ file, line }))(placeOf(source?.url, source?.lineNumber)),
      byScript: source?.scriptId !== undefined,
      reportOnly,
    };
    const key = JSON.stringify(blocked);
    if (this.#blocked.size >= blockedMax && !this.#blocked.has(key)) this.#blockedDropped++;
    else this.#blocked.set(key, blocked);
  }

  /** The log names the hash right before the violation. */
  #takeHash(directive: string, place: string): string | null {
    const at = this.#hashes.findIndex((waiting) => directive.startsWith(waiting.kind) && waiting.place === place);
    return at === -1 ? null : (this.#hashes.splice(at, 1)[0]?.hash ?? null);
  }
}

/** The browser counts lines from 0, and -1 is no line. */
function placeOf(url: string | undefined, lineNumber: number | undefined): Pick<ObservedError, "url" | "line"> {
  const line = lineNumber === undefined || !Number.isSafeInteger(lineNumber) || lineNumber < 0 ? null : lineNumber + 1;
  return { url: url === undefined || url === "" ? null : boundedUrl(url), line };
}

/** Part of the result of `readShape`: plain and truncated, but untrusted. */
type RawShape = Omit<DocumentShape, "inline"> & Pick<RawInlineCode, "codes">;

/** Objects on which pages listen: the event of a violation bubbles from its element to the window. */
const listeningObjects = ["window", "document", "document.documentElement", "document.body"];

/**
 * True for a listener of `securitypolicyviolation` in the world of the page's scripts. A page can hide it, and then is one that changes for no
 * reason. @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone.
 */
async function hearsViolations({ session }: OpenDocument, deadlineMs: number): Promise<boolean> {
  const expression = listeningObjects.map((object) => `"securitypolicyviolation" in getEventListeners(${object})`).join(" || ");
  const limits = { returnByValue: true, timeout: deadlineMs, silent: true };
  const { result } = await session.send(
    "Runtime.evaluate",
    { expression, includeCommandLineAPI: true, ...limits },
    { timeout: deadlineMs },
  );
  return result.value === true;
}

/** Runs in the page. */
function baseOfCanary(): string {
  return document.querySelector<HTMLIFrameElement>("iframe[data-canary=base]")?.contentDocument?.baseURI ?? "";
}

/**
 * Runs in the page. `none` after the last one, `page` where a focus trap of the page has the focus. A page may answer all clicks and forms of
 * its document itself, but not those in a frame, which has the policy of the page. A policy with a sandbox closes that frame.
 */
function focusCanary(at: number): "canary" | "page" | "none" {
  const place = document.querySelectorAll<HTMLElement>("[data-canary=press]")[at];
  if (place === undefined) return "none";
  const framed = place.querySelector("iframe")?.contentDocument?.querySelector<HTMLElement>("a, button");
  const element = framed ?? place.querySelector<HTMLElement>("a, button");
  element?.focus();
  return element?.ownerDocument.activeElement === element && (framed == null || place.contains(document.activeElement)) ? "canary" : "page";
}

interface ShapeLimits extends InlineLimits {
  readonly attributeCharsMax: number;
}

/** Runs in the page. */
function readShape(given: ShapeLimits, dom: DomReader, inlineCode: typeof findInlineCode): RawShape {
  const { all, deep } = dom;
  const nameOf = (element: Element): string => Object.getOwnPropertyDescriptor(Element.prototype, "localName")?.get?.call(element);
  const shownText = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "innerText")?.get;
  const elements = deep("*");
  const counts = new Map<string, number>();
  let structure = 5381;
  for (const element of elements) {
    const name = nameOf(element).slice(0, given.attributeCharsMax);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    for (let at = 0; at < name.length; at++) structure = (Math.imul(structure, 33) ^ name.charCodeAt(at)) >>> 0;
  }
  const { codes, ...found } = inlineCode(given, dom, elements);
  const [body] = all("body");
  return {
    elements: [...counts].map(([name, count]) => ({ name, count })),
    structure: `${elements.length}-${structure.toString(16)}`,
    textChars: body instanceof HTMLElement ? String(shownText?.call(body) ?? "").length : 0,
    codes,
    inlineScripts: found.scripts,
    inlineStyles: found.styles,
    handlers: found.handlers,
    styleAttributes: found.styleAttributes,
  };
}
