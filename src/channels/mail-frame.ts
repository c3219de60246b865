/**
 * Frame of every mail: one list of blocks becomes HTML and plain text, so that both say the same. Tables and inline styles are what all mail
 * programs draw. Nothing is loaded: images are parts of the mail. Texts are untrusted; they are escaped and bounded here.
 */
import { shownLogoSize } from "../base/documents.ts";
import type { Severity } from "../check/check.ts";
import { standing } from "../judge/result.ts";
import type { StoredLogo } from "../store/site-accounts.ts";
import { languageTag } from "../text/translator.ts";
import { scoreColors, scorePicture, scorePicturePx } from "./score-picture.ts";

/** Characters of one line of content. */
const lineCharsMax = 500;
/** Characters of a subject: mail programs show hardly more, and RFC 5322 section 2.1.1 recommends no longer line. */
export const subjectCharsMax = 78;
/** Characters of a rule below a heading. */
const ruleCharsMax = 72;
const accentDefault = "#1f4fa3";

/** Number before or after a change. */
export interface MailFigure {
  /** What it is, such as "Before". */
  readonly label: string;
  /** In words and figures, such as "52 of 100"; the alternative text of the picture. */
  readonly value: string;
  /** Score that the picture shows, null for none; absent for a figure without a picture. */
  readonly score?: number | null;
  /** Such as the rank. */
  readonly note?: string | undefined;
  readonly at?: string | undefined;
}

interface MailFinding {
  readonly severity: Severity;
  /** Name of the severity. */
  readonly name: string;
  readonly title: string;
}

export type MailBlock =
  | { readonly kind: "heading" | "statement" | "line" | "note"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "figures"; readonly figures: readonly MailFigure[] }
  | {
      readonly kind: "findings";
      readonly label: string;
      readonly counts: readonly { readonly severity: Severity; readonly text: string }[];
      readonly shown: readonly MailFinding[];
      /** Says how many are not shown. */
      readonly more: string | null;
      /** Their severities are no alarm. */
      readonly isResolved: boolean;
    }
  | { readonly kind: "todo"; readonly label: string; readonly text: string }
  /** `spelledOut`: with its address in HTML too, for a link that the reader should examine first. */
  | { readonly kind: "button"; readonly label: string; readonly url: string; readonly spelledOut?: boolean }
  | { readonly kind: "link"; readonly label: string; readonly url: string };

export type MailTone = "worse" | "better" | "neutral";

export interface MailSection {
  readonly tone: MailTone;
  readonly blocks: readonly MailBlock[];
}

export interface MailContent {
  readonly subject: string;
  /** First line: what has happened. */
  readonly title: string;
  readonly sections: readonly MailSection[];
}

export interface MailLayout extends MailContent {
  readonly locale: string;
  /** Name above the content, below it in plain text, and of the sender. */
  readonly sender: string;
  /** `#rrggbb`; null for the default. */
  readonly accent: string | null;
  /** Above the name; null without one. */
  readonly logo: StoredLogo | null;
  /** Below a rule. */
  readonly footer: readonly MailBlock[];
}

/** PNG that the HTML shows by its content id (RFC 2392). */
export interface MailImage {
  readonly contentId: string;
  readonly fileName: string;
  readonly png: Uint8Array<ArrayBuffer>;
}

export interface RenderedMail {
  /** Name of the sender. */
  readonly sender: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly images: readonly MailImage[];
}

export function layOutMail({ subject, ...layout }: MailLayout): RenderedMail {
  const title = cutText(subject, subjectCharsMax);
  return {
    sender: cutText(layout.sender, subjectCharsMax),
    subject: title,
    text: asText(layout),
    html: asHtml({ ...layout, subject: title }),
    images: imagesOf(layout),
  };
}

function scoreImageId(score: number | null): string {
  return `score-${score ?? "none"}@assay.invalid`;
}

function imagesOf({ logo, sections }: Pick<MailLayout, "logo" | "sections">): readonly MailImage[] {
  const figures = sections.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "figures" ? block.figures : [])));
  const scores = new Set(figures.flatMap(({ score }) => (score === undefined ? [] : [score])));
  return [
    ...(logo === null ? [] : [{ contentId: logoId, fileName: "logo.png", png: logo.png }]),
    ...[...scores].map((score) => ({
      contentId: scoreImageId(score),
      fileName: `score-${score ?? "none"}.png`,
      png: scorePicture(score),
    })),
  ];
}

const logoId = "logo@assay.invalid";

type TextLayout = Pick<MailLayout, "title" | "sender" | "sections" | "footer">;

function asText({ title, sender, sections, footer }: TextLayout): string {
  const lines = [
    underlined(title, "="),
    ...sections.flatMap(({ blocks }) => blocks.flatMap(linesOf)),
    // RFC 3676 section 4.3: mail programs recognise this line before a signature.
    "-- ",
    oneLine(sender),
    ...footer.flatMap(linesOf),
  ];
  return lines.flat().join("\n").replace(/\n*$/, "\n");
}

function underlined(given: string, sign: string): readonly string[] {
  const text = oneLine(given);
  return [text, sign.repeat(Math.min(text.length, ruleCharsMax)), ""];
}

function linesOf(block: MailBlock): readonly string[] {
  const parts = textPartsOf(block);
  return parts.flatMap((part, at) => {
    if (part.kind === "heading") return underlined(part.text, "-");
    const line = part.kind === "link" ? `${part.text}: ${part.url}` : `${part.kind === "item" ? "- " : ""}${part.text}`;
    const isInGroup = part.kind !== "line" && part.kind === parts[at + 1]?.kind;
    return isInGroup ? [line] : [line, ""];
  });
}

/** One line of a text; bounded, without invisible characters. Items and rows that follow each other belong together. */
export type TextPart =
  | { readonly kind: "heading" | "line" | "item" | "row"; readonly text: string }
  /** `url`: empty if it is no absolute address of http or https. */
  | { readonly kind: "link"; readonly text: string; readonly url: string };

/** What the block says without layout: as in plain text, and in messages to chat services. */
export function textPartsOf(block: MailBlock): readonly TextPart[] {
  const item = (text: string): TextPart => ({ kind: "item", text: oneLine(text) });
  switch (block.kind) {
    case "heading":
      return [{ kind: "heading", text: oneLine(block.text) }];
    case "statement":
    case "line":
    case "note":
      return [{ kind: "line", text: oneLine(block.text) }];
    case "list":
      return block.items.map(item);
    case "figures":
      return block.figures.map((figure) => ({ kind: "row", text: figureText(figure) }));
    case "findings": {
      const { label, counts, shown, more } = block;
      const items = [...shown.map(({ name, title }) => `${name}: ${title}`), ...(more === null ? [] : [more])];
      return [{ kind: "line", text: oneLine(`${label} ${counts.map(({ text }) => text).join(", ")}`) }, ...items.map(item)];
    }
    case "todo":
      return [{ kind: "line", text: oneLine(`${block.label}: ${block.text}`) }];
    case "button":
    case "link":
      return [{ kind: "link", text: oneLine(block.label), url: addressOf(block.url) }];
  }
}

function figureText({ label, value, note, at }: MailFigure): string {
  const parts = note === undefined ? value : `${value}, ${note}`;
  return oneLine(`${label}: ${parts}${at === undefined ? "" : ` (${at})`}`);
}

/** Light and dark value of each property by class, as in the style of the pages. */
const looks = {
  page: { "background-color": ["#f3f3f1", "#121417"], color: ["#17191c", "#eceef0"] },
  card: { "background-color": ["#ffffff", "#1a1d21"], border: ["1px solid #dedfdd", "1px solid #2e3238"] },
  muted: { color: ["#565c64", "#a8afb8"] },
  text: { color: ["#17191c", "#eceef0"] },
  critical: { "background-color": ["#b3261e", "#ff8f87"], color: ["#ffffff", "#17191c"] },
  high: { "background-color": ["#fbe6e4", "#401a17"], color: ["#b3261e", "#ff8f87"] },
  medium: { "background-color": ["#fdf0d9", "#38280c"], color: ["#8a5300", "#f2b95c"] },
  low: { "background-color": ["#eceef0", "#262a2f"], color: ["#565c64", "#a8afb8"] },
  info: { "background-color": ["#eceef0", "#262a2f"], color: ["#565c64", "#a8afb8"] },
  todo: { "background-color": ["#f3f3f1", "#121417"], color: ["#17191c", "#eceef0"] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly [light: string, dark: string]>>>>;

const toneColors: Readonly<Record<MailTone, string>> = { worse: scoreColors.poor, better: scoreColors.good, neutral: scoreColors.unknown };
const fonts = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";
/** The colour of the brand is readable on white alone. */
const darkAccent = "#8fb4ff";

/** Attributes of an element with the class. */
function look(name: keyof typeof looks, style = ""): string {
  const light = Object.entries(looks[name]).map(([property, [value]]) => `${property}:${value};`);
  return `class="${name}" style="${light.join("")}${style}"`;
}

function styleSheet(): string {
  const dark = Object.entries(looks).map(([name, properties]) => {
    const values = Object.entries(properties).map(([property, [, value]]) => `${property}:${value}!important`);
    return `.${name}{${values.join(";")}}`;
  });
  return [
    ":root{color-scheme:light dark;supported-color-schemes:light dark}",
    `@media (prefers-color-scheme:dark){${dark.join("")}.accent{color:${darkAccent}!important}}`,
  ].join("\n");
}

const table = `<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%"`;
/** Width of the content; Outlook for Windows takes it from an attribute alone. */
const contentPx = 600;

function asHtml({ locale, subject, title, sender, accent, logo, sections, footer }: MailLayout): string {
  const colour = accent !== null && /^#[0-9a-f]{6}$/i.test(accent) ? accent : accentDefault;
  const name = `<p class="accent" style="margin:0;font-size:15px;font-weight:bold;color:${colour}">${escaped(sender)}</p>`;
  return [
    "<!doctype html>",
    `<html lang="${escaped(languageTag(locale) ?? "en")}">`,
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">`,
    `<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">`,
    `<title>${escaped(subject)}</title><style>${styleSheet()}</style></head>`,
    `<body ${look("page", "margin:0;padding:0")}>`,
    `${table} ${look("page", `${fonts};font-size:15px;line-height:1.5`)}><tr><td align="center" style="padding:20px 10px">`,
    `<!--[if mso]><table role="presentation" width="${contentPx}"><tr><td><![endif]-->`,
    `<div style="max-width:${contentPx}px;margin:0 auto;text-align:left;word-break:break-word;overflow-wrap:anywhere">`,
    `<div role="banner" style="padding:0 4px 14px">`,
    ...(logo === null ? [] : [logoHtml(logo)]),
    name,
    "</div>",
    `<div role="main">`,
    `<h1 ${look("text", "margin:0 4px 16px;font-size:24px;line-height:1.25;font-weight:bold")}>${escaped(title)}</h1>`,
    ...sections.map((section) => sectionHtml(section, colour)),
    "</div>",
    `<div role="contentinfo" ${look("muted", "padding:4px;font-size:14px")}>`,
    ...footer.map((block) => htmlOf(block, colour)),
    "</div>",
    "</div>",
    "<!--[if mso]></td></tr></table><![endif]-->",
    "</td></tr></table>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** The image has no alternative text: the name stands below it. Logos are made for white paper. */
function logoHtml(logo: StoredLogo): string {
  const { width, height } = shownLogoSize(logo);
  return `<p style="margin:0 0 10px;display:inline-block;background-color:#ffffff"><img src="cid:${logoId}" alt="" width="${width}" height="${height}"></p>`;
}

function sectionHtml({ tone, blocks }: MailSection, colour: string): string {
  const cell = `padding:18px 18px 6px;border-top:4px solid ${toneColors[tone]}`;
  return [
    `${table} ${look("card", "border-radius:6px;margin:0 0 16px")}><tr><td style="${cell}">`,
    ...blocks.map((block) => htmlOf(block, colour)),
    "</td></tr></table>",
  ].join("\n");
}

function htmlOf(block: MailBlock, colour: string): string {
  switch (block.kind) {
    case "heading":
      return `<h2 ${look("text", "margin:0 0 4px;font-size:18px;line-height:1.3")}>${escaped(block.text)}</h2>`;
    case "statement":
      return `<p ${look("text", "margin:10px 0 4px;font-size:17px;font-weight:bold")}>${escaped(block.text)}</p>`;
    case "line":
      return `<p style="margin:0 0 12px">${escaped(block.text)}</p>`;
    case "note":
      return `<p ${look("muted", "margin:0 0 6px;font-size:14px")}>${escaped(block.text)}</p>`;
    case "list":
      return listHtml(block.items.map(escaped), "padding:0 0 0 20px");
    case "figures":
      return figuresHtml(block.figures);
    case "findings":
      return findingsHtml(block);
    case "todo":
      return `${table} style="margin:4px 0 14px"><tr><td ${look("todo", "padding:10px 14px;border-radius:4px")}><strong>${escaped(block.label)}:</strong> ${escaped(block.text)}</td></tr></table>`;
    case "button":
      return buttonHtml(block, colour);
    case "link":
      return `<p style="margin:0 0 12px;font-size:14px"><a class="accent" style="color:${colour}" href="${hrefOf(block.url)}">${escaped(block.label)}</a></p>`;
  }
}

function listHtml(items: readonly string[], style: string): string {
  return `<ul style="margin:0 0 14px;${style}">\n${items.map((item) => `<li style="margin:0 0 5px">${item}</li>`).join("\n")}\n</ul>`;
}

function figuresHtml(figures: readonly MailFigure[]): string {
  const arrow = `<td width="8%" align="center" valign="top" aria-hidden="true" ${look("muted", "padding-top:48px;font-size:40px;line-height:1")}>&rsaquo;</td>`;
  const cells = figures.map(figureHtml).join(arrow);
  return `${table} style="margin:12px 0 16px"><tr>${cells}</tr></table>`;
}

function figureHtml({ label, value, score, note, at }: MailFigure): string {
  const small = (text: string | undefined) =>
    text === undefined ? "" : `<br><span ${look("muted", "font-size:13px")}>${escaped(text)}</span>`;
  const shown =
    score === undefined
      ? `<br><strong style="font-size:28px;line-height:1.4">${escaped(value)}</strong>`
      : `<br><img src="cid:${scoreImageId(score)}" width="${scorePicturePx}" height="${scorePicturePx}" alt="${escaped(value)}" style="margin:6px 0;font-size:17px;font-weight:bold;color:${scoreColors[standing(score).band]}">`;
  const rank = note === undefined ? "" : `<br><strong>${escaped(note)}</strong>`;
  return `<td width="46%" align="center" valign="top" style="padding:0 4px;text-wrap:balance"><span ${look("muted", "font-size:13px;font-weight:bold")}>${escaped(label)}</span>${shown}${rank}${small(at)}</td>`;
}

/** No-break spaces: Outlook for Windows ignores the padding of a span. */
function chipHtml(severity: Severity, text: string): string {
  const style = "display:inline-block;padding:1px 5px;border-radius:4px;font-size:13px;font-weight:bold";
  return `<span ${look(severity, style)}>&nbsp;${escaped(text)}&nbsp;</span>`;
}

function findingsHtml({ label, counts, shown, more, isResolved }: Extract<MailBlock, { readonly kind: "findings" }>): string {
  const chip = (severity: Severity, text: string) => chipHtml(isResolved ? "info" : severity, text);
  const chips = counts.map(({ severity, text }) => chip(severity, text)).join(" ");
  const items = shown.map(({ severity, name, title }) => `${chip(severity, name)} ${escaped(title)}`);
  return [
    `<p style="margin:0 0 8px"><strong>${escaped(label)}</strong> ${chips}</p>`,
    listHtml(more === null ? items : [...items, escaped(more)], "padding:0;list-style:none"),
  ].join("\n");
}

function buttonHtml({ label, url, spelledOut = false }: Extract<MailBlock, { readonly kind: "button" }>, colour: string): string {
  const href = hrefOf(url);
  const style = "display:inline-block;padding:11px 22px;color:#ffffff;font-size:16px;font-weight:bold;text-decoration:none";
  return [
    `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 14px"><tr>`,
    `<td bgcolor="${colour}" style="background-color:${colour};border-radius:4px"><a href="${href}" style="${style}">${escaped(label)}</a></td>`,
    "</tr></table>",
    ...(spelledOut
      ? [
          `<p ${look("muted", "margin:0 0 12px;font-size:14px")}><a class="accent" style="color:${colour};word-break:break-all" href="${href}">${href}</a></p>`,
        ]
      : []),
  ].join("\n");
}

/** One line without invisible characters: control and bidirectional ones can change what a reader believes to see. */
export function oneLine(text: string): string {
  return cutText(text, lineCharsMax);
}

export function cutText(text: string, charsMax: number): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
  return visible.length <= charsMax ? visible : `${visible.slice(0, charsMax - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}

/** Links lead to this server, over http or https; anything else is left out. */
function addressOf(url: string): string {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(url) ? url : "";
}

function hrefOf(url: string): string {
  return withEntities(addressOf(url));
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return withEntities(oneLine(text));
}

/** Does not cut the text: a link that is cut leads nowhere. */
function withEntities(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
