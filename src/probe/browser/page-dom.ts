/** Reads the document in an isolated world, out of reach of the page's own scripts, with limits on both sides. */
import type { CDPSession } from "../../browser/browser-page.ts";
import {
  attributeCharsMax,
  bodyElementsMax,
  formsMax,
  generatorsMax,
  iconsMax,
  integrityCharsMax,
  linksMax,
  metaElementsMax,
  passwordFormsMax,
  submittersMax,
  subresourcesMax,
  markupTextCharsMax as textCharsMax,
  titleCharsMax,
  urlCharsMax,
} from "../../evidence/limits.ts";
import type { DomFacts, MarkupFacts, MetaElement, OutlineLink, PasswordForm, Submitter, Subresource } from "../../evidence/page-facts.ts";
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

type DomReader = ReturnType<typeof createDomReader>;

/**
 * Runs in an isolated world, with separate prototypes. Uses the methods of prototypes, because named elements
 * shadow methods of documents and forms (HTML standard, section 3.1.5, [LegacyOverrideBuiltIns]).
 */
function createDomReader(urlMax: number) {
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

/** Runs in the page. The other functions are arguments, because only source text is sent to the page. */
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
async function evaluateInDocument(
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

// Reads forms, generator, icons and outline of the document in the isolated world of the page probe.

const markupBounds = { formsMax, passwordFormsMax, submittersMax, generatorsMax, iconsMax, bodyElementsMax, linksMax, textCharsMax };
type Bounds = typeof markupBounds;

/** Result of `readMarkup`: plain and truncated, but untrusted. */
type RawForms = Pick<MarkupFacts, "formActions" | "formActionsDropped" | "passwordFields" | "passwordForms" | "passwordFormsDropped">;
type RawMarkup = RawForms & Omit<MarkupFacts, keyof RawForms>;

/** Runs in the page. */
function readForms({ all, attribute, absolute, cut }: DomReader, limits: Bounds): RawForms {
  const ownerOf = (field: Element): Element | null => {
    const { prototype } = field instanceof HTMLButtonElement ? HTMLButtonElement : HTMLInputElement;
    return (Object.getOwnPropertyDescriptor(prototype, "form")?.get?.call(field) ?? null) as Element | null;
  };
  const methodOf = (element: Element, name: string) => cut(attribute(element, name)?.toLowerCase() ?? null, limits.textCharsMax);
  const urlOf = (element: Element, name: string) => (attribute(element, name) === null ? null : absolute(attribute(element, name)));
  const submitButtons = all("button, input[type=submit i], input[type=image i]").filter(
    (button) => !/^(button|reset)$/i.test(attribute(button, "type") ?? ""),
  );
  const formActions = submitButtons.flatMap((button) => {
    const form = ownerOf(button);
    const action = urlOf(button, "formaction");
    if (form === null || action === null) return [];
    return [{ action, method: methodOf(button, "formmethod") ?? methodOf(form, "method") ?? "get" }];
  });
  const sent = all("input[type=password i]:not(:disabled)").filter((field) => (attribute(field, "name") ?? "") !== "");
  const forms = [...new Set(sent.map(ownerOf))].filter((form) => form !== null);
  const submittersOf = (form: Element): Submitter[] =>
    submitButtons
      .filter((button) => ownerOf(button) === form)
      .slice(0, limits.submittersMax)
      .map((button) => ({ action: urlOf(button, "formaction"), method: methodOf(button, "formmethod") }));
  return {
    formActions: formActions.slice(0, limits.formsMax),
    formActionsDropped: Math.max(0, formActions.length - limits.formsMax),
    passwordFields: all("input[type=password i]").length,
    passwordForms: forms
      .slice(0, limits.passwordFormsMax)
      .map((form) => ({ action: urlOf(form, "action"), method: methodOf(form, "method"), submitters: submittersOf(form) })),
    passwordFormsDropped: Math.max(0, forms.length - limits.passwordFormsMax),
  };
}

/** Runs in the page. The other function is an argument, because only source text is sent to the page. */
function readMarkup(limits: Bounds, dom: DomReader, readFormsOf: typeof readForms): RawMarkup {
  const { all, attribute, absolute, title } = dom;
  const textOf = (element: Element | undefined): string => {
    const text = element && Object.getOwnPropertyDescriptor(Node.prototype, "textContent")?.get?.call(element);
    return String(text ?? "").slice(0, limits.textCharsMax);
  };
  // A field of a form shadows the form's own property.
  const nameOf = (element: Element): string => Object.getOwnPropertyDescriptor(Element.prototype, "localName")?.get?.call(element);
  const links = all("a[href]");
  const linkOf = (link: Element): OutlineLink => ({
    href: (attribute(link, "href") ?? "").slice(0, limits.textCharsMax),
    text: textOf(link),
  });
  const generators = all("meta[name=generator i]").map((meta) => attribute(meta, "content") ?? "");
  const last = links.at(-1);
  return {
    ...readFormsOf(dom, limits),
    generators: generators.slice(0, limits.generatorsMax).map((content) => content.slice(0, limits.textCharsMax)),
    generatorsDropped: Math.max(0, generators.length - limits.generatorsMax),
    icons: all("link[rel~=icon i][href]")
      .slice(0, limits.iconsMax)
      .map((link) => absolute(attribute(link, "href"))),
    outline: {
      title: title.slice(0, limits.textCharsMax),
      heading: textOf(all("h1")[0]),
      bodyElements: all("body > *")
        .slice(0, limits.bodyElementsMax)
        .map((element) => nameOf(element).slice(0, limits.textCharsMax)),
      links: links.slice(0, limits.linksMax).map(linkOf),
      lastLink: last === undefined ? null : linkOf(last),
    },
  };
}

/** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. */
export async function probeMarkup(session: CDPSession, frameId: string, deadlineMs: number): Promise<MarkupFacts> {
  const expression = `(${readMarkup})(${JSON.stringify(markupBounds)}, (${createDomReader})(${urlCharsMax}), ${readForms})`;
  const { value } = await evaluateInDocument(session, frameId, expression, deadlineMs);
  return markupFactsOf(value as RawMarkup);
}

/** Applies the limits again, because a compromised renderer may send anything. @throws TypeError for a wrong structure. */
function markupFactsOf(raw: RawMarkup): MarkupFacts {
  const cut = (text: string, charsMax = textCharsMax) => boundedText(onOneLine(text.slice(0, charsMax)), charsMax).text;
  const cutOrNull = (text: string | null, charsMax = textCharsMax) => (text === null ? null : cut(text, charsMax));
  const submitter = ({ action, method }: Submitter): Submitter => ({ action: cutOrNull(action, urlCharsMax), method: cutOrNull(method) });
  const link = ({ href, text }: OutlineLink): OutlineLink => ({ href: cut(href), text: cut(text) });
  const { title, heading, bodyElements, links, lastLink } = raw.outline;
  return {
    formActions: raw.formActions
      .slice(0, formsMax)
      .map(({ action, method }) => ({ action: cut(action, urlCharsMax), method: cut(method) })),
    formActionsDropped: countOf(raw.formActionsDropped),
    passwordFields: countOf(raw.passwordFields),
    passwordForms: raw.passwordForms.slice(0, passwordFormsMax).map(
      (form): PasswordForm => ({
        ...submitter(form),
        submitters: form.submitters.slice(0, submittersMax).map(submitter),
      }),
    ),
    passwordFormsDropped: countOf(raw.passwordFormsDropped),
    generators: raw.generators.slice(0, generatorsMax).map((content) => cut(content)),
    generatorsDropped: countOf(raw.generatorsDropped),
    icons: raw.icons.slice(0, iconsMax).map((url) => cut(url, urlCharsMax)),
    outline: {
      title: cut(title),
      heading: cut(heading),
      bodyElements: bodyElements.slice(0, bodyElementsMax).map((name) => cut(name)),
      links: links.slice(0, linksMax).map(link),
      lastLink: lastLink === null ? null : link(lastLink),
    },
  };
}
