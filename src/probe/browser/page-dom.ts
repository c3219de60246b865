/** Reads the document as the browser built it, out of reach of the page's own scripts, within bounds on both sides. */
import { boundedText } from "../../evidence/bound.ts";
import type { DomFacts, MetaElement, Subresource } from "../../evidence/facts.ts";
import { formsMax, integrityCharsMax, metaContentCharsMax, metaElementsMax, subresourcesMax, urlCharsMax } from "../../evidence/limits.ts";
import { siteOfHost } from "../../parse/site.ts";
import type { CDPSession } from "./browser-session.ts";

const titleCharsMax = 200;
const attributeCharsMax = 64;

const kinds: readonly Subresource["kind"][] = ["script", "style", "preload", "other"];

/** What the expression below gives back: plain and cut, but written by the page. */
interface Seen {
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
  metaContentCharsMax,
  subresourcesMax,
  integrityCharsMax,
  formsMax,
  urlCharsMax,
  titleCharsMax,
  attributeCharsMax,
};

/**
 * Runs in an isolated world. That has prototypes of its own, but documents and forms let named elements shadow their methods
 * (HTML standard, section 3.1.5, [LegacyOverrideBuiltIns]), so every method is taken from its prototype.
 */
function look(limits: typeof bounds): Seen {
  const all = (selector: string): readonly Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const attribute = (element: Element, name: string): string | null => Element.prototype.getAttribute.call(element, name);
  const cut = (text: string | null, charsMax: number): string | null => (text === null ? null : text.slice(0, charsMax));
  const absolute = (url: string | null): string => {
    const base = Object.getOwnPropertyDescriptor(Node.prototype, "baseURI")?.get?.call(document) as string;
    try {
      return new URL(url ?? "", base).href.slice(0, limits.urlCharsMax);
    } catch {
      return "";
    }
  };

  const head = Object.getOwnPropertyDescriptor(Document.prototype, "head")?.get?.call(document) as HTMLHeadElement | null;
  const metas = all("meta[charset], meta[http-equiv], meta[name]").flatMap((meta) => {
    const charset = attribute(meta, "charset");
    const httpEquiv = attribute(meta, "http-equiv")?.toLowerCase() ?? null;
    const name = charset !== null ? "charset" : (attribute(meta, "name")?.toLowerCase() ?? null);
    const telling =
      /^(content-security-policy(-report-only)?|content-type|refresh)$/.test(httpEquiv ?? "") || /^(charset|referrer)$/.test(name ?? "");
    // HTML standard, "Content security policy state": outside the head a browser does not look at it.
    const unheard = httpEquiv?.startsWith("content-security-policy") && (head === null || !Node.prototype.contains.call(head, meta));
    if (!telling || unheard) return [];
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

  const elements = all("script[src], link[rel][href]").flatMap((element) => {
    const rel = (attribute(element, "rel") ?? "").toLowerCase().split(/\s+/);
    const isScript = attribute(element, "src") !== null && !rel.includes("stylesheet");
    const kind: Subresource["kind"] | null = isScript
      ? "script"
      : rel.includes("stylesheet")
        ? "style"
        : rel.some((one) => /^(preload|modulepreload)$/.test(one))
          ? "preload"
          : null;
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

  const forms = all("form").map((form) => ({
    action: absolute(attribute(form, "action")),
    method: (attribute(form, "method") ?? "get").toLowerCase().slice(0, limits.attributeCharsMax),
  }));

  const title = Object.getOwnPropertyDescriptor(Document.prototype, "title")?.get?.call(document) as string;
  return {
    metas: metas.slice(0, limits.metaElementsMax),
    metasDropped: Math.max(0, metas.length - limits.metaElementsMax),
    subresources: elements.slice(0, limits.subresourcesMax),
    subresourcesDropped: Math.max(0, elements.length - limits.subresourcesMax),
    forms: forms.slice(0, limits.formsMax),
    formsDropped: Math.max(0, forms.length - limits.formsMax),
    title: title.slice(0, limits.titleCharsMax),
  };
}

/** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. */
export async function readDom(session: CDPSession, frameId: string, deadlineMs: number): Promise<DomFacts> {
  const { executionContextId: contextId } = await session.send(
    "Page.createIsolatedWorld",
    { frameId, worldName: "assay" },
    { timeout: deadlineMs },
  );
  const { result, exceptionDetails } = await session.send(
    "Runtime.evaluate",
    { expression: `(${look})(${JSON.stringify(bounds)})`, contextId, returnByValue: true, timeout: deadlineMs },
    { timeout: deadlineMs },
  );
  if (exceptionDetails !== undefined) throw new Error(`the document cannot be read: ${exceptionDetails.text}`);
  const { result: location } = await session.send(
    "Runtime.evaluate",
    { expression: "location.href", contextId, returnByValue: true },
    { timeout: deadlineMs },
  );
  return factsOf(result.value as Seen, String(location.value));
}

/** The bounds again, on our side: a broken renderer may send anything. @throws TypeError for what has not even the shape. */
function factsOf(seen: Seen, pageUrl: string): DomFacts {
  const page = URL.parse(pageUrl);
  const cut = (text: string, charsMax: number) => boundedText(onOneLine(text.slice(0, charsMax)), charsMax).text;
  const cutOrNull = (text: string | null, charsMax: number) => (text === null ? null : cut(text, charsMax));
  return {
    metas: seen.metas.slice(0, metaElementsMax).map(
      ({ httpEquiv, name, content, truncated }): MetaElement => ({
        httpEquiv: cutOrNull(httpEquiv, attributeCharsMax),
        name: cutOrNull(name, attributeCharsMax),
        content: cut(content, metaContentCharsMax),
        truncated: truncated === true,
      }),
    ),
    metasDropped: countOf(seen.metasDropped),
    subresources: seen.subresources.slice(0, subresourcesMax).map((element): Subresource => {
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
    subresourcesDropped: countOf(seen.subresourcesDropped),
    forms: seen.forms.slice(0, formsMax).map(({ action, method }) => ({
      action: cut(action, urlCharsMax),
      method: cut(method, attributeCharsMax),
    })),
    formsDropped: countOf(seen.formsDropped),
    title: cut(seen.title, titleCharsMax),
  };
}

function countOf(said: unknown): number {
  return Number.isSafeInteger(said) ? (said as number) : 0;
}

/** Attributes may be written over several lines; to the grammars of policies and hashes a line break is a blank like any other. */
function onOneLine(text: string): string {
  return text.replace(/[\t\n\f\r]/g, " ");
}
