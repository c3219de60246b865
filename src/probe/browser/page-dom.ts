/** Reads the document in an isolated world, out of reach of the page's own scripts, with limits on both sides. */

import type { CDPSession } from "../../browser/browser-page.ts";
import {
  attributeCharsMax,
  formsMax,
  integrityCharsMax,
  metaElementsMax,
  subresourcesMax,
  titleCharsMax,
  urlCharsMax,
} from "../../evidence/limits.ts";
import type { DomFacts, MetaElement, Subresource } from "../../evidence/page-facts.ts";
import { boundedText } from "../../evidence/redact.ts";
import { siteOfHost } from "../../parse/site.ts";

const kinds: readonly Subresource["kind"][] = ["script", "style", "preload", "other"];

/** Result of `readDocument`: plain and truncated, but untrusted. */
interface RawDom {
  readonly metas: readonly {
    readonly httpEquiv: string | null;
    readonly name: string | null;
    readonly content: string;
    readonly truncated: boolean;
  }[];
  readonly metasDropped: number;
  readonly subresources: readonly {
    readonly url: string;
    readonly kind: Subresource["kind"];
    readonly integrity: string | null;
    readonly crossOrigin: string | null;
  }[];
  readonly subresourcesDropped: number;
  readonly forms: readonly { readonly action: string; readonly method: string }[];
  readonly formsDropped: number;
  readonly title: string;
}

const bounds = {
  metaElementsMax,
  subresourcesMax,
  integrityCharsMax,
  formsMax,
  urlCharsMax,
  titleCharsMax,
  attributeCharsMax,
};

type Limits = typeof bounds & { readonly metaContentCharsMax: number };

export type DomReader = ReturnType<typeof createDomReader>;

/**
 * Runs in an isolated world, with separate prototypes. Takes every method from its prototype, because named elements
 * shadow methods of documents and forms (HTML standard, section 3.1.5, [LegacyOverrideBuiltIns]).
 */
export function createDomReader(urlMax: number) {
  const documentProperty = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(document);
  const head = documentProperty(Document.prototype, "head") as HTMLHeadElement | null;
  return {
    title: documentProperty(Document.prototype, "title") as string,
    isInHead: (element: Element): boolean => head !== null && Node.prototype.contains.call(head, element),
    all: (selector: string): readonly Element[] => [...Document.prototype.querySelectorAll.call(document, selector)],
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

function readMetas({ all, attribute, cut, isInHead }: DomReader, limits: Limits): RawDom["metas"] {
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

function readSubresources({ all, attribute, cut, absolute }: DomReader, limits: Limits): RawDom["subresources"] {
  const kindOf = (isScript: boolean, rel: readonly string[]): Subresource["kind"] | null => {
    if (isScript) return "script";
    if (rel.includes("stylesheet")) return "style";
    return rel.some((one) => /^(preload|modulepreload)$/.test(one)) ? "preload" : null;
  };
  return all("script[src], link[rel][href]").flatMap((element) => {
    const rel = (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/);
    const isScript = attribute(element, "src") !== null && !rel.includes("stylesheet");
    const kind = kindOf(isScript, rel);
    if (kind === null) return [];
    return [
      {
        url: absolute(attribute(element, isScript ? "src" : "href")),
        kind,
        integrity: cut(attribute(element, "integrity"), limits.integrityCharsMax),
        crossOrigin: cut(attribute(element, "crossorigin"), limits.attributeCharsMax),
      },
    ];
  });
}

/** Runs in the page. Takes the other functions as arguments, because only their source text reaches the page. */
function readDocument(
  limits: Limits,
  dom: DomReader,
  readers: { readonly readMetas: typeof readMetas; readonly readSubresources: typeof readSubresources },
): RawDom {
  const { all, attribute, absolute, title } = dom;
  const metas = readers.readMetas(dom, limits);
  const subresources = readers.readSubresources(dom, limits);
  const forms = all("form").map((form) => ({
    action: absolute(attribute(form, "action")),
    method: (attribute(form, "method") ?? "get").toLowerCase().slice(0, limits.attributeCharsMax),
  }));
  return {
    metas: metas.slice(0, limits.metaElementsMax),
    metasDropped: Math.max(0, metas.length - limits.metaElementsMax),
    subresources: subresources.slice(0, limits.subresourcesMax),
    subresourcesDropped: Math.max(0, subresources.length - limits.subresourcesMax),
    forms: forms.slice(0, limits.formsMax),
    formsDropped: Math.max(0, forms.length - limits.formsMax),
    title: title.slice(0, limits.titleCharsMax),
  };
}

function documentExpression(limits: Limits): string {
  const readers = `{ readMetas: ${readMetas}, readSubresources: ${readSubresources} }`;
  return `(${readDocument})(${JSON.stringify(limits)}, (${createDomReader})(${urlCharsMax}), ${readers})`;
}

/** Value of an expression in the isolated world. @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. */
export async function evaluateInDocument(
  session: CDPSession,
  frameId: string,
  expression: string,
  deadlineMs: number,
): Promise<{ readonly contextId: number; readonly value: unknown }> {
  const { executionContextId: contextId } = await session.send(
    "Page.createIsolatedWorld",
    { frameId, worldName: "assay" },
    { timeout: deadlineMs },
  );
  const { result, exceptionDetails } = await session.send(
    "Runtime.evaluate",
    { expression, contextId, returnByValue: true, timeout: deadlineMs },
    { timeout: deadlineMs },
  );
  if (exceptionDetails !== undefined) throw new Error(`the document cannot be read: ${exceptionDetails.text}`);
  return { contextId, value: result.value };
}

/** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. */
export async function readDom(session: CDPSession, frameId: string, deadlineMs: number, metaContentCharsMax: number): Promise<DomFacts> {
  const expression = documentExpression({ ...bounds, metaContentCharsMax });
  const { contextId, value } = await evaluateInDocument(session, frameId, expression, deadlineMs);
  const { result: location } = await session.send(
    "Runtime.evaluate",
    { expression: "location.href", contextId, returnByValue: true },
    { timeout: deadlineMs },
  );
  return factsOf(value as RawDom, String(location.value), metaContentCharsMax);
}

/** Applies the limits again, because a compromised renderer may send anything. @throws TypeError for a wrong structure. */
function factsOf(raw: RawDom, pageUrl: string, metaContentCharsMax: number): DomFacts {
  const page = URL.parse(pageUrl);
  const cut = (text: string, charsMax: number) => boundedText(onOneLine(text.slice(0, charsMax)), charsMax).text;
  const cutOrNull = (text: string | null, charsMax: number) => (text === null ? null : cut(text, charsMax));
  return {
    metas: raw.metas.slice(0, metaElementsMax).map(
      ({ httpEquiv, name, content, truncated }): MetaElement => ({
        httpEquiv: cutOrNull(httpEquiv, attributeCharsMax),
        name: cutOrNull(name, attributeCharsMax),
        content: cut(content, metaContentCharsMax),
        truncated: truncated === true,
      }),
    ),
    metasDropped: countOf(raw.metasDropped),
    subresources: raw.subresources.slice(0, subresourcesMax).map((element): Subresource => {
      const { kind, integrity, crossOrigin } = element;
      const url = cut(element.url, urlCharsMax);
      const target = URL.parse(url);
      return {
        url,
        kind: kinds.includes(kind) ? kind : "other",
        integrity: cutOrNull(integrity, integrityCharsMax),
        crossOrigin: cutOrNull(crossOrigin, attributeCharsMax),
        sameSite: target === null || (page !== null && siteOfHost(target.hostname) === siteOfHost(page.hostname)),
        sameOrigin: target === null || (page !== null && target.origin === page.origin),
      };
    }),
    subresourcesDropped: countOf(raw.subresourcesDropped),
    forms: raw.forms.slice(0, formsMax).map(({ action, method }) => ({
      action: cut(action, urlCharsMax),
      method: cut(method, attributeCharsMax),
    })),
    formsDropped: countOf(raw.formsDropped),
    title: cut(raw.title, titleCharsMax),
  };
}

export function countOf(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

/** Attributes may span lines; for policies and hashes a line break is ordinary white space. */
export function onOneLine(text: string): string {
  return text.replace(/[\t\n\f\r]/g, " ");
}
