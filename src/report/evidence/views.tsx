/** Views of the readings: how a report shows the facts of each. The order here is the order within a part of the evidence. */
import type { ComponentChildren } from "preact";
import type { ReadingName } from "../../evidence/evidence.ts";
import type { Facts } from "../../evidence/facts.ts";
import type { I18n, TextPath } from "../../text/translator.ts";
import { dnsViews, mailViews } from "./name-views.tsx";
import { pageViews } from "./page-views.tsx";
import { tlsViews } from "./tls-views.tsx";

/** Parts of the evidence in page order. */
export const evidenceParts = [
  "navigation",
  "plainHttp",
  "headers",
  "crossOrigin",
  "cookies",
  "document",
  "requests",
  "scripts",
  "tls",
  "dns",
  "mail",
  "securityTxt",
  "timings",
] as const;
export type EvidencePart = (typeof evidenceParts)[number];

export interface ReadingView<F> {
  readonly part: EvidencePart;
  /** Heading above the facts: a text of the locale, or a name that is the same in all languages. */
  readonly heading?: TextPath | { readonly name: string };
  /** Shown only if this reading was read. */
  readonly needs?: ReadingName;
  /** Text beside the heading of the part, so that readers need not open it. */
  readonly hint?: (facts: F, i18n: I18n) => string;
  readonly show: (facts: F, i18n: I18n) => ComponentChildren;
}

export type ViewsOf<N extends ReadingName> = { readonly [K in N]: ReadingView<Facts[K]> };

/** Views of facts that belong to another part than their reading. */
export interface FurtherViews {
  readonly errorAnswer: ReadingView<Facts["navigation"]>;
  readonly cookies: ReadingView<Facts["page"]>;
}

export const readingOfView: { readonly [V in keyof FurtherViews]: ReadingName } = { errorAnswer: "navigation", cookies: "page" };

export const views: ViewsOf<ReadingName> & FurtherViews = { ...pageViews, ...tlsViews, ...dnsViews, ...mailViews };
