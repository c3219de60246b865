/** Reads the document in an isolated world, out of reach of the page's own scripts, with limits on both sides. */
import { createHash } from "node:crypto";
import { withinLimits } from "../../evidence/fields.ts";
import * as limits from "../../evidence/limits.ts";
import {
  type DomFacts,
  dom as domSchema,
  type InlineCodeFacts,
  type MarkupFacts,
  markup as markupSchema,
  type OutlineLink,
  type Submitter,
  type Subresource,
} from "../../evidence/page-facts.ts";
import { boundedList, boundedText } from "../../evidence/redact.ts";
import { siteOfHost } from "../../parse/site.ts";
import { evaluateIn, type OpenDocument, type Shadows } from "./page-document.ts";

/** Result of `readDocument`: plain and truncated, but untrusted. */
type RawDom = Omit<DomFacts, "subresources"> & { readonly subresources: readonly Omit<Subresource, "sameSite" | "sameOrigin">[] };

type Limits = typeof limits;
type DomLimits = Limits & { readonly metaContentCharsMax: number };

export type DomReader = ReturnType<typeof createDomReader>;

/**
 * Runs in an isolated world, with separate prototypes. Uses the methods of prototypes, because named elements
 * shadow methods of documents and forms (HTML standard, section 3.1.5, [LegacyOverrideBuiltIns]).
 */
function createDomReader(urlMax: number, bounded: typeof boundedList) {
  const documentProperty = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(document);
  const head = documentProperty(Document.prototype, "head") as HTMLHeadElement | null;
  const { shadows } = globalThis as unknown as { readonly shadows: Shadows };
  const within = (root: Document | ShadowRoot, selector: string): Element[] => {
    const { prototype } = root === document ? Document : DocumentFragment;
    return [...prototype.querySelectorAll.call(root, selector)];
  };
  return {
    bounded,
    /** Shadow roots that are not read: lists of elements within lack theirs. */
    rootsMissed: shadows.missed,
    title: documentProperty(Document.prototype, "title") as string,
    characterSet: documentProperty(Document.prototype, "characterSet") as string,
    isInHead: (element: Element): boolean => head !== null && Node.prototype.contains.call(head, element),
    all: (selector: string): readonly Element[] => within(document, selector),
    /** Also in shadow roots, where scripts run and forms are sent as in the document. */
    deep: (selector: string): readonly Element[] => [document, ...shadows.roots].flatMap((root) => within(root, selector)),
    text: (element: Element): string => Object.getOwnPropertyDescriptor(Node.prototype, "textContent")?.get?.call(element) ?? "",
    attribute: (element: Element, name: string): string | null => Element.prototype.getAttribute.call(element, name),
    cut: (text: string | null, charsMax: number): string | null => (text === null ? null : text.slice(0, charsMax)),
    absolute: (url: string | null): string => {
      try {
        return new URL(url ?? "", documentProperty(Node.prototype, "baseURI") as string).href.slice(0, urlMax);
      } catch {
        return "";
      }
    },
  };
}

function readMetas({ all, attribute, cut, isInHead }: DomReader, limits: DomLimits): RawDom["metas"] {
  return all("meta[charset], meta[http-equiv], meta[name]").flatMap((meta) => {
    const charset = attribute(meta, "charset");
    const httpEquiv = attribute(meta, "http-equiv")?.toLowerCase() ?? null;
    const name = charset !== null ? "charset" : (attribute(meta, "name")?.toLowerCase() ?? null);
    const isRelevant =
      /^(content-security-policy(-report-only)?|content-type|refresh)$/.test(httpEquiv ?? "") || /^(charset|referrer)$/.test(name ?? "");
    // HTML standard, "Content security policy state": a browser ignores the element outside the head.
    const isIgnored = httpEquiv?.startsWith("content-security-policy") && !isInHead(meta);
    if (!isRelevant || isIgnored) return [];
    const content = charset ?? attribute(meta, "content") ?? "";
    return [
      {
        httpEquiv: cut(httpEquiv, limits.attributeCharsMax),
        name: cut(name, limits.attributeCharsMax),
        content: content.slice(0, limits.metaContentCharsMax),
        truncated: content.length > limits.metaContentCharsMax,
      },
    ];
  });
}

/** Integrity of modules by URL, from the import maps. As in browsers, the first of equal URLs counts (HTML standard, "merge import maps"). */
function readImportIntegrity({ all, text, absolute, attribute }: DomReader, limits: Limits): NonNullable<RawDom["importIntegrity"]> {
  const known = new Map<string, string>();
  const maps = all("script[type=importmap i]:not([src])").filter((map) => attribute(map, "src") === null);
  for (const map of maps) {
    try {
      const { integrity = {} } = JSON.parse(text(map));
      for (const [url, value] of Object.entries(integrity)) {
        const whole = absolute(url);
        if (typeof value === "string" && !known.has(whole)) known.set(whole, value.slice(0, limits.integrityCharsMax));
      }
    } catch {
      // Browsers ignore a map that is no JSON object.
    }
  }
  return [...known].slice(0, limits.subresourcesMax).map(([url, integrity]) => ({ url, integrity }));
}

function readSubresources(dom: DomReader, limits: Limits, modules: NonNullable<RawDom["importIntegrity"]>): RawDom["subresources"] {
  const { deep, attribute, cut, absolute } = dom;
  const integrityOfModule = new Map(modules.map(({ url, integrity }) => [url, integrity]));
  const kindOf = (isScript: boolean, rel: readonly string[]): Subresource["kind"] | null => {
    // A preloaded module is in the module map, and the browser verifies it there.
    if (isScript || rel.includes("modulepreload")) return "script";
    if (rel.includes("stylesheet")) return "style";
    return rel.includes("preload") ? "preload" : null;
  };
  return deep("script[src], script[*|href], link[rel][href]").flatMap((element) => {
    const rel = (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/);
    const isLink = element instanceof HTMLLinkElement;
    const kind = kindOf(!isLink, rel);
    if (kind === null) return [];
    const url = absolute(attribute(element, "src") ?? attribute(element, "href") ?? attribute(element, "xlink:href"));
    const isModule = isLink ? kind === "script" : attribute(element, "type")?.trim().toLowerCase() === "module";
    const integrity = attribute(element, "integrity") ?? (isModule ? (integrityOfModule.get(url) ?? null) : null);
    // Browsers always request modules with CORS.
    const crossOrigin = attribute(element, "crossorigin") ?? (isModule ? "" : null);
    return [{ url, kind, integrity: cut(integrity, limits.integrityCharsMax), crossOrigin: cut(crossOrigin, limits.attributeCharsMax) }];
  });
}

/** Runs in the page. The other functions are arguments, because only source text is sent to the page. */
function readDocument(
  limits: DomLimits,
  dom: DomReader,
  readers: {
    readonly readMetas: typeof readMetas;
    readonly readImportIntegrity: typeof readImportIntegrity;
    readonly readSubresources: typeof readSubresources;
  },
): RawDom {
  const { deep, attribute, absolute, title, bounded, rootsMissed } = dom;
  const importIntegrity = readers.readImportIntegrity(dom, limits);
  const forms = deep("form").map((form) => ({
    action: absolute(attribute(form, "action")),
    method: (attribute(form, "method") ?? "get").toLowerCase().slice(0, limits.attributeCharsMax),
  }));
  return {
    ...bounded("metas", readers.readMetas(dom, limits), limits.metaElementsMax),
    ...bounded("subresources", readers.readSubresources(dom, limits, importIntegrity), limits.subresourcesMax, rootsMissed),
    importIntegrity,
    ...bounded("forms", forms, limits.formsMax, rootsMissed),
    title: title.slice(0, limits.titleCharsMax),
    characterSet: dom.characterSet.slice(0, limits.attributeCharsMax),
  };
}

/** Call of a reader in the page. `others`: source text of the functions that it calls. */
export function callInPage<G extends Limits>(
  reader: (given: G, dom: DomReader, others: never) => unknown,
  given: G,
  others: string,
): string {
  return `(${reader})(${JSON.stringify(given)}, (${createDomReader})(${given.urlCharsMax}, ${boundedList}), ${others})`;
}

/** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. */
export async function readDom(document: OpenDocument, deadlineMs: number, metaContentCharsMax: number): Promise<DomFacts> {
  const expression = callInPage(
    readDocument,
    { ...limits, metaContentCharsMax },
    `{ readMetas: ${readMetas}, readImportIntegrity: ${readImportIntegrity}, readSubresources: ${readSubresources} }`,
  );
  const value = await evaluateIn(document, expression, deadlineMs);
  return domFactsOf(value, String(await evaluateIn(document, "location.href", deadlineMs)), metaContentCharsMax);
}

/** Applies the limits again, because a compromised renderer may send anything. @throws TypeError for a wrong structure. */
function domFactsOf(raw: unknown, pageUrl: string, metaContentCharsMax: number): DomFacts {
  const facts = withinLimits(domSchema, raw, cutOnOneLine);
  const page = URL.parse(pageUrl);
  const metas = facts.metas.map((meta) => ({ ...meta, content: cutOnOneLine(meta.content, metaContentCharsMax) }));
  const subresources = facts.subresources.map((resource) => {
    const target = URL.parse(resource.url);
    return {
      ...resource,
      sameSite: target === null || (page !== null && siteOfHost(target.hostname) === siteOfHost(page.hostname)),
      sameOrigin: target === null || (page !== null && target.origin === page.origin),
    };
  });
  return { ...facts, metas, subresources };
}

/** Attributes may span lines; for policies and hashes a line break is ordinary white space. */
function cutOnOneLine(text: string, charsMax: number): string {
  return boundedText(text.slice(0, charsMax).replace(/[\t\n\f\r]/g, " "), charsMax).text;
}

// Reads forms, generator, icons and outline of the document in the isolated world of the page probe.

/** Part of the result of `readMarkup`: plain and truncated, but untrusted. */
type RawForms = Pick<MarkupFacts, "formActions" | "formActionsDropped" | "passwordFields" | "passwordForms" | "passwordFormsDropped">;

/** Runs in the page. */
function readForms({ deep, attribute, absolute, cut, bounded, rootsMissed }: DomReader, limits: Limits): RawForms {
  const ownerOf = (field: Element): Element | null => {
    const { prototype } = field instanceof HTMLButtonElement ? HTMLButtonElement : HTMLInputElement;
    return (Object.getOwnPropertyDescriptor(prototype, "form")?.get?.call(field) ?? null) as Element | null;
  };
  const methodOf = (element: Element, name: string) => cut(attribute(element, name)?.toLowerCase() ?? null, limits.markupTextCharsMax);
  const urlOf = (element: Element, name: string) => (attribute(element, name) === null ? null : absolute(attribute(element, name)));
  const submitButtons = deep("button, input[type=submit i], input[type=image i]").filter(
    (button) => !/^(button|reset)$/i.test(attribute(button, "type") ?? ""),
  );
  const formActions = submitButtons.flatMap((button) => {
    const form = ownerOf(button);
    const action = urlOf(button, "formaction");
    if (form === null || action === null) return [];
    return [{ action, method: methodOf(button, "formmethod") ?? methodOf(form, "method") ?? "get" }];
  });
  const sent = deep("input[type=password i]:not(:disabled)").filter((field) => (attribute(field, "name") ?? "") !== "");
  const forms = [...new Set(sent.map(ownerOf))].filter((form) => form !== null);
  const submittersOf = (form: Element): Submitter[] =>
    submitButtons
      .filter((button) => ownerOf(button) === form)
      .slice(0, limits.submittersMax)
      .map((button) => ({ action: urlOf(button, "formaction"), method: methodOf(button, "formmethod") }));
  // Cut first: each form costs a look at all buttons.
  const { passwordForms, passwordFormsDropped } = bounded("passwordForms", forms, limits.passwordFormsMax, rootsMissed);
  return {
    ...bounded("formActions", formActions, limits.formsMax, rootsMissed),
    passwordFields: deep("input[type=password i]").length,
    passwordForms: passwordForms.map((form) => ({
      action: urlOf(form, "action"),
      method: methodOf(form, "method"),
      submitters: submittersOf(form),
    })),
    passwordFormsDropped,
  };
}

/** Runs in the page. The other function is an argument, because only source text is sent to the page. */
function readMarkup(limits: Limits, dom: DomReader, readFormsOf: typeof readForms): MarkupFacts {
  const { all, attribute, absolute, text, title, bounded } = dom;
  const textOf = (element: Element | undefined): string => (element ? text(element) : "").slice(0, limits.markupTextCharsMax);
  // A field of a form shadows the form's own property.
  const nameOf = (element: Element): string => Object.getOwnPropertyDescriptor(Element.prototype, "localName")?.get?.call(element);
  const links = all("a[href]");
  const linkOf = (link: Element): OutlineLink => ({
    href: (attribute(link, "href") ?? "").slice(0, limits.markupTextCharsMax),
    text: textOf(link),
  });
  const generators = all("meta[name=generator i]").map((meta) => (attribute(meta, "content") ?? "").slice(0, limits.markupTextCharsMax));
  const last = links.at(-1);
  return {
    ...readFormsOf(dom, limits),
    ...bounded("generators", generators, limits.generatorsMax),
    icons: all("link[rel~=icon i][href]")
      .slice(0, limits.iconsMax)
      .map((link) => absolute(attribute(link, "href"))),
    outline: {
      title: title.slice(0, limits.markupTextCharsMax),
      heading: textOf(all("h1")[0]),
      bodyElements: all("body > *")
        .slice(0, limits.bodyElementsMax)
        .map((element) => nameOf(element).slice(0, limits.markupTextCharsMax)),
      links: links.slice(0, limits.linksMax).map(linkOf),
      lastLink: last === undefined ? null : linkOf(last),
    },
  };
}

/** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. @throws TypeError for a wrong structure. */
export async function probeMarkup(document: OpenDocument, deadlineMs: number): Promise<MarkupFacts> {
  const value = (await evaluateIn(document, callInPage(readMarkup, limits, `${readForms}`), deadlineMs)) as MarkupFacts;
  // Only drafts of policies need it: what other rows read must not fail with it.
  const inlineCode = await readInlineCode(document, deadlineMs).catch(() => null);
  // Applies the limits again, because a compromised renderer may send anything.
  return withinLimits(markupSchema, { ...value, ...(inlineCode === null ? {} : { inlineCode }) }, cutOnOneLine);
}

// Inline code, which a policy allows by hash or not at all.

export interface InlineLimits {
  /** Pieces of each kind that are sent, and the characters of each and of all. */
  readonly inlineListedMax: number;
  readonly codeCharsMax: number;
  readonly allCodeCharsMax: number;
}

/** Plain and truncated, but untrusted. */
export interface RawInlineCode extends Omit<InlineCodeFacts, "hashes"> {
  readonly codes: readonly {
    readonly kind: InlineCodeFacts["hashes"][number]["kind"];
    readonly code: string;
    /** True for an element with a nonce. */
    readonly nonced: boolean;
    readonly isWhole: boolean;
  }[];
}

/** Runs in the page. `elements`: all of the document, with those in shadow roots. Blocks of data are no code. */
export function findInlineCode(given: InlineLimits, { deep, attribute, text }: DomReader, elements: readonly Element[]): RawInlineCode {
  const handlersOf = (element: Element): string[] =>
    Element.prototype.getAttributeNames
      .call(element)
      .filter((name) => /^on[a-z]/.test(name))
      .map((name) => attribute(element, name) ?? "");
  const isCode = (element: Element): boolean => {
    const type = (attribute(element, "type") ?? "").trim().toLowerCase();
    return attribute(element, "src") === null && (type === "" || /^(module|importmap|speculationrules)$|(java|ecma)script/.test(type));
  };
  const noncedIn = (element: Element): boolean => (element as HTMLElement).nonce !== "" || attribute(element, "nonce") !== null;
  const scripts = deep("script").filter(isCode);
  const styles = deep("style");
  const handlers = elements.flatMap(handlersOf);
  let charsLeft = given.allCodeCharsMax;
  const codeOf = (kind: "script" | "style" | "handler", whole: string, nonced: boolean) => {
    const code = whole.slice(0, Math.min(given.codeCharsMax, charsLeft));
    charsLeft -= code.length;
    return { kind, code, nonced, isWhole: code.length === whole.length };
  };
  return {
    codes: [
      ...scripts.slice(0, given.inlineListedMax).map((script) => codeOf("script", text(script), noncedIn(script))),
      ...styles.slice(0, given.inlineListedMax).map((style) => codeOf("style", text(style), noncedIn(style))),
      ...handlers.slice(0, given.inlineListedMax).map((handler) => codeOf("handler", handler, false)),
    ],
    scripts: scripts.length,
    styles: styles.length,
    handlers: handlers.length,
    styleAttributes: deep("[style]").length,
  };
}

/** Runs in the page. Null for a document of too many elements, or with shadow roots that are not read. */
function readInline(given: Limits & InlineLimits, dom: DomReader, inlineCode: typeof findInlineCode): RawInlineCode | null {
  const elements = dom.deep("*");
  return elements.length > given.inlineElementsMax || dom.rootsMissed > 0 ? null : inlineCode(given, dom, elements);
}

async function readInlineCode(document: OpenDocument, deadlineMs: number): Promise<InlineCodeFacts | null> {
  const { inlineHashesMax: inlineListedMax, inlineCodeCharsMax: codeCharsMax, allInlineCodeCharsMax: allCodeCharsMax } = limits;
  const call = callInPage(readInline, { ...limits, inlineListedMax, codeCharsMax, allCodeCharsMax }, `${findInlineCode}`);
  const raw = (await evaluateIn(document, call, deadlineMs)) as RawInlineCode | null;
  // A compromised renderer may send anything.
  if (raw === null || !Array.isArray(raw.codes)) return null;
  const { codes, ...numbers } = raw;
  const whole = codes.slice(0, inlineListedMax * 3).filter(({ isWhole, code }) => isWhole && String(code).length <= codeCharsMax);
  return { ...numbers, hashes: whole.map(({ kind, code }) => ({ kind, hash: hashOfCode(code) })) };
}

/** SHA-256 of inline code, as policies spell it. The code comes from the page, and may be anything. */
export function hashOfCode(code: string): string {
  return `sha256-${createHash("sha256").update(String(code)).digest("base64")}`;
}
