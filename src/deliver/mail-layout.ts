/** Layout of mails: one list of blocks gives the text and the HTML. All content is untrusted, and escaped here. */
import { shownLogoSize } from "../base/documents.ts";
import type { StoredLogo } from "../store/brand-logo.ts";
import { languageTag } from "../text/translator.ts";

/** Characters of one line of content. */
const lineCharsMax = 500;
/** RFC 5322 section 2.1.1 allows 998 characters for a line of a header; mail programs show far fewer. */
const subjectCharsMax = 200;
/** Characters of the rule below a heading. */
const ruleCharsMax = 72;
const accentDefault = "#1f4e79";

export type MailBlock =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  /** Shown with its address in both forms, so that readers see where it leads. */
  | { readonly kind: "link"; readonly label: string; readonly url: string };

export interface MailLayout {
  readonly locale: string;
  readonly subject: string;
  /** Name above the content. */
  readonly sender: string;
  /** `#rrggbb`; null for the default. */
  readonly accent: string | null;
  /** Above the name; null without one. */
  readonly logo: StoredLogo | null;
  readonly blocks: readonly MailBlock[];
  /** Below a rule. */
  readonly footer: readonly MailBlock[];
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** PNG that the HTML shows by `logoContentId`; null without one. */
  readonly logo: Uint8Array<ArrayBuffer> | null;
}

/** RFC 2392: names the logo within its mail. */
export const logoContentId = "logo@assay.invalid";

export function layOutMail({ subject, ...layout }: MailLayout): RenderedMail {
  const title = bounded(subject, subjectCharsMax);
  return { subject: title, text: asText(layout), html: asHtml({ ...layout, subject: title }), logo: layout.logo?.png ?? null };
}

function asText({ sender, blocks, footer }: Omit<MailLayout, "subject">): string {
  // RFC 3676 section 4.3: mail programs recognise this line before a signature.
  return [oneLine(sender), "", ...blocks.flatMap(linesOf), "-- ", ...footer.flatMap(linesOf)].join("\n").replace(/\n*$/, "\n");
}

function linesOf(block: MailBlock): readonly string[] {
  switch (block.kind) {
    case "heading": {
      const text = oneLine(block.text);
      return [text, "-".repeat(Math.min(text.length, ruleCharsMax)), ""];
    }
    case "line":
      return [oneLine(block.text), ""];
    case "list":
      return [...block.items.map((item) => `- ${oneLine(item)}`), ""];
    case "link":
      return [`${oneLine(block.label)}: ${addressOf(block.url)}`, ""];
  }
}

function asHtml({ locale, subject, sender, accent, logo, blocks, footer }: MailLayout): string {
  const colour = accent !== null && /^#[0-9a-f]{6}$/i.test(accent) ? accent : accentDefault;
  const body = `font-family:sans-serif;font-size:15px;line-height:1.5;color:#1a1a1a;max-width:40em;margin:0 auto;padding:1em`;
  return [
    "<!doctype html>",
    `<html lang="${escaped(languageTag(locale) ?? "en")}">`,
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>`,
    `<body style="${body}">`,
    ...(logo === null ? [] : [logoHtml(logo)]),
    `<p style="font-weight:bold;color:${colour};border-bottom:3px solid ${colour}">${escaped(sender)}</p>`,
    ...blocks.map((block) => htmlOf(block, colour)),
    `<hr style="border:0;border-top:1px solid #c8c8c8">`,
    `<div style="font-size:13px;color:#595959">`,
    ...footer.map((block) => htmlOf(block, colour)),
    "</div>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** Without an alternative text: the name stands below it. */
function logoHtml(logo: StoredLogo): string {
  const { width, height } = shownLogoSize(logo);
  return `<p><img src="cid:${logoContentId}" alt="" width="${width}" height="${height}"></p>`;
}

function htmlOf(block: MailBlock, colour: string): string {
  switch (block.kind) {
    case "heading":
      return `<h2 style="font-size:17px">${escaped(block.text)}</h2>`;
    case "line":
      return `<p>${escaped(block.text)}</p>`;
    case "list":
      return `<ul>\n${block.items.map((item) => `<li>${escaped(item)}</li>`).join("\n")}\n</ul>`;
    case "link":
      return `<p>${escaped(block.label)}: <a style="color:${colour}" href="${withEntities(addressOf(block.url))}">${withEntities(addressOf(block.url))}</a></p>`;
  }
}

/** One line without invisible characters: control and bidirectional ones can change what a reader believes to see. */
function oneLine(text: string): string {
  return bounded(text, lineCharsMax);
}

function bounded(text: string, charsMax: number): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
  return visible.length <= charsMax ? visible : `${visible.slice(0, charsMax - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}

/** Links lead to this appliance, over http or https; anything else is left out. */
function addressOf(url: string): string {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(url) ? url : "";
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return withEntities(oneLine(text));
}

/** Of any length: a link that is cut leads nowhere. */
function withEntities(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
