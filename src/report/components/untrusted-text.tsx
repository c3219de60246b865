/** Untrusted text, hosts, URLs and links: escaped, untranslated, isolated so that they cannot reorder or hide text around them. */

import type { ComponentChildren } from "preact";
import { piecesOf, unicodeHost } from "../../text/display.ts";
import { useDocument, useI18n } from "../context.ts";

/**
 * Invisible and bidi characters: controls, format, private use, separators, lone surrogates, Default_Ignorable_Code_Point (Unicode), blank
 * Braille pattern. Also long runs of combining marks.
 */
const invisibleCharacters = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{9,}`;
/** Characters allowed within an emoji (UTS 51): the variation selector after it and the joiner between two. */
const emojiJoiners = String.raw`(?<=\p{Emoji})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`;

const unseen = new RegExp(`((?!${emojiJoiners})(?:${invisibleCharacters}))`, "u");
const invisible = new RegExp(unseen, "gu");
/** Line breaks and tabs are allowed in multi-line text. */
const invisibleInLines = new RegExp(`((?![\\n\\t]|${emojiJoiners})(?:${invisibleCharacters}))`, "u");

interface UntrustedProps {
  readonly children: string;
  /** Characters beyond this are counted, not shown. */
  readonly charsMax?: number;
}

/** HTML expects "yes" or "no"; the JSX types accept a boolean, and the renderer omits false. */
export const untranslated: object = { translate: "no" };

/** Single-line text. */
export function UntrustedText({ children, charsMax = Number.POSITIVE_INFINITY }: UntrustedProps) {
  return (
    <>
      <bdi class="foreign" dir="ltr" lang="" {...untranslated}>
        {withCodePoints(children.slice(0, charsMax), unseen)}
      </bdi>
      {children.length > charsMax && <More chars={children.length - charsMax} />}
    </>
  );
}

/** Multi-line text: a file or a long value. */
export function UntrustedLines({ children, charsMax = Number.POSITIVE_INFINITY }: UntrustedProps) {
  const text = children.slice(0, charsMax).replaceAll("\r\n", "\n");
  return (
    <>
      <pre class="foreign" dir="ltr" lang="" {...untranslated}>
        {withCodePoints(text, invisibleInLines)}
      </pre>
      {children.length > charsMax && <More chars={children.length - charsMax} />}
    </>
  );
}

/** Own sentence with quoted values, which `quoted` has marked. */
export function Sentence({ text }: { readonly text: string }) {
  const i18n = useI18n();
  return (
    <>
      {piecesOf(text).map((piece) => {
        if (!piece.quoted) return piece.text;
        // Empty quotation marks look like a defect, and a link needs a text.
        if (piece.text.trim() === "") return <span class="muted">{i18n.t("foreign.empty")}</span>;
        return <UntrustedText>{piece.text}</UntrustedText>;
      })}
    </>
  );
}

/** Plain text for titles and alternative texts, which cannot contain elements. */
export function plainUntrustedText(text: string): string {
  return text.replace(invisible, nameOf);
}

/** Multi-line text with its line breaks, otherwise like `plainUntrustedText`. */
export function plainUntrustedLines(text: string): string {
  return text.split("\n").map(plainUntrustedText).join("\n");
}

function withCodePoints(text: string, signs: RegExp) {
  // Fast path: nearly every text is a single piece.
  if (!signs.test(text)) return text;
  return text.split(signs).map((piece, at) => (at % 2 === 1 ? <span class="sign">{nameOf(piece)}</span> : piece));
}

/** `U+202E`, for the first of several characters. */
function nameOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function More({ chars }: { readonly chars: number }) {
  const i18n = useI18n();
  return <span class="muted"> {i18n.count("foreign.more", chars)}</span>;
}

/** Longer paths are cut in the middle, so that a list stays a list. */
const pathCharsMax = 48;
/** Characters kept at the end, where pages of one folder differ. */
const pathEndChars = 14;

interface UrlProps {
  /** ASCII form. */
  readonly url: string;
}

interface HostProps {
  /** ASCII form. */
  readonly host: string;
}

/** Host as readers know it, with its ASCII form after it where the two differ. */
export function HostName({ host }: HostProps) {
  return (
    <>
      <ReadableHost host={host} />
      <AsciiForm host={host} />
    </>
  );
}

function ReadableHost({ host }: HostProps) {
  const shown = unicodeHost(host);
  if (shown === host) return <UntrustedText>{host}</UntrustedText>;
  // One isolate for each label: right-to-left labels would change places.
  return (
    <>
      {shown.split(".").map((label, at) => (
        <span key={`${at} ${label}`}>
          {at > 0 && "."}
          <UntrustedText>{label}</UntrustedText>
        </span>
      ))}
    </>
  );
}

/** ASCII form in brackets; null if the host is shown in ASCII already. */
function AsciiForm({ host }: HostProps) {
  const i18n = useI18n();
  if (unicodeHost(host) === host) return null;
  return (
    <span class="muted">
      {" "}
      (<span class="unseen">{i18n.t("components.url.ascii")} </span>
      <UntrustedText>{host}</UntrustedText>)
    </span>
  );
}

/** Whole URL; `short` cuts a long path. Text that is not a URL is shown as it is. */
export function HostUrl({ url, short = false }: UrlProps & { readonly short?: boolean }) {
  const parsed = URL.parse(url);
  // Searched after the scheme, which may contain a short host: http://t/.
  const hostAt = parsed === null || parsed.host === "" ? -1 : url.indexOf(parsed.host, parsed.protocol.length);
  if (parsed === null || hostAt === -1) return <UntrustedText>{url}</UntrustedText>;
  const path = url.slice(hostAt + parsed.hostname.length);
  return (
    <span class="url">
      <span class="muted">
        <UntrustedText>{url.slice(0, hostAt)}</UntrustedText>
      </span>
      <strong>
        <ReadableHost host={parsed.hostname} />
      </strong>
      <span class="muted">
        <UntrustedText>{short ? cutPath(path) : path}</UntrustedText>
      </span>
      <AsciiForm host={parsed.hostname} />
    </span>
  );
}

function cutPath(path: string): string {
  if (path.length <= pathCharsMax) return path;
  return `${path.slice(0, pathCharsMax - pathEndChars - 1)}\u2026${path.slice(-pathEndChars)}`;
}

/** Opens the whole URL where `HostUrl` has cut it; null elsewhere. Works without script. */
export function WholeUrl({ url }: UrlProps) {
  const i18n = useI18n();
  const parsed = URL.parse(url);
  if (parsed === null || url.length - parsed.origin.length <= pathCharsMax) return null;
  return (
    <details class="whole">
      <summary>{i18n.t("components.url.whole")}</summary>
      <UntrustedText>{url}</UntrustedText>
    </details>
  );
}

/** Unicode form in brackets. Null for hosts without A-labels (RFC 5890 section 2.3.2.1) that can be shown, and for other text. */
export function UnicodeHostName({ url }: UrlProps) {
  const host = URL.parse(url)?.hostname ?? "";
  const name = unicodeHost(host);
  if (name === host) return null;
  return (
    <span class="muted">
      {" ("}
      <UntrustedText>{name}</UntrustedText>)
    </span>
  );
}

interface CheckLinkProps {
  readonly checkKey: string;
  /** Finding code, for a place on the page. */
  readonly fragment?: string;
  readonly children: ComponentChildren;
}

/** Link to the page of a check. Shows the key if the check left the catalog, and plain text where no appliance is known. */
export function CheckLink({ checkKey, fragment, children }: CheckLinkProps) {
  const { checks, hrefOf } = useDocument();
  if (!checks.some(({ key }) => key === checkKey)) return <UntrustedText>{checkKey}</UntrustedText>;
  const href = hrefOf(`/checks/${checkKey}${fragment === undefined ? "" : `#${fragment}`}`);
  return href === null ? children : <a href={href}>{children}</a>;
}

interface ExternalLinkProps {
  /** Untrusted: a URL that is neither http nor https is rendered as text. */
  readonly href: string;
  readonly children: ComponentChildren;
}

export function ExternalLink({ href, children }: ExternalLinkProps) {
  const protocol = URL.parse(href)?.protocol;
  if (protocol !== "https:" && protocol !== "http:") return <span>{children}</span>;
  return (
    <a class="external" href={href} rel="nofollow noopener noreferrer">
      {children}
      {"\u2060"}
      <svg viewBox="0 0 12 12" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.25">
        <path d="M3.5 8.5 9 3M4.5 3H9v4.5" />
      </svg>
    </a>
  );
}
