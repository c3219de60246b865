/** Reads forms, generator, icons and outline of the document in the isolated world of the page probe. */

import type { CDPSession } from "../../browser/browser-page.ts";
import {
  bodyElementsMax,
  formsMax,
  generatorsMax,
  iconsMax,
  linksMax,
  passwordFormsMax,
  submittersMax,
  markupTextCharsMax as textCharsMax,
  urlCharsMax,
} from "../../evidence/limits.ts";
import type { MarkupFacts, OutlineLink, PasswordForm, Submitter } from "../../evidence/page-facts.ts";
import { boundedText } from "../../evidence/redact.ts";
import { countOf, createDomReader, type DomReader, evaluateInDocument, onOneLine } from "./page-dom.ts";

const bounds = { formsMax, passwordFormsMax, submittersMax, generatorsMax, iconsMax, bodyElementsMax, linksMax, textCharsMax };
type Bounds = typeof bounds;

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

/** Runs in the page. Takes the other function as an argument, because only their source text reaches the page. */
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
  const expression = `(${readMarkup})(${JSON.stringify(bounds)}, (${createDomReader})(${urlCharsMax}), ${readForms})`;
  const { value } = await evaluateInDocument(session, frameId, expression, deadlineMs);
  return factsOf(value as RawMarkup);
}

/** Applies the limits again, because a compromised renderer may send anything. @throws TypeError for a wrong structure. */
function factsOf(raw: RawMarkup): MarkupFacts {
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
