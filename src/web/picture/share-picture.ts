/** Picture of a result for link previews, as SVG: ring, score, rank and host. */
import type { Rank } from "../../judge/result.ts";
import { unicodeHost } from "../../text/display.ts";
import { type ScoreTone, toneOf } from "../../text/score-tone.ts";

/** Size that Open Graph consumers show without cropping. */
export const sharePictureSize = { widthPx: 1_200, heightPx: 630 } as const;
export const pictureFont = "Inter";

/** Scripts of the font. */
const drawableText = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]*$/u;
const hostLinesMax = 3;
const hostLineChars = 22;
/** Place of the texts, in pixels. */
const textX = 510;
const hostWidthPx = 640;
const hostPxMax = 60;
/** Colours of the light theme. */
const colors = { page: "#f6f4f0", text: "#1a1917", muted: "#5c5952", track: "#e0dcd4", accent: "#1f4fa3" } as const;
/** Tokens of the light scheme. White text is readable on them, and they are readable on white. */
export const toneColors: Readonly<Record<ScoreTone, string>> = {
  good: "#176b3a",
  lime: "#4c6a08",
  warn: "#835400",
  orange: "#a2420a",
  poor: "#b3261e",
  unknown: "#5c5952",
};

export interface SharedResult {
  /** 0 to 100; null if not measured. */
  readonly score: number | null;
  readonly rank: Rank;
  /** ASCII. */
  readonly host: string;
  /** In the language of the picture. */
  readonly texts: { readonly verdict: string; readonly of: string; readonly at: string };
}

export function sharePicture({ score, rank, host, texts }: SharedResult): string {
  const color = toneColors[toneOf(rank)];
  const lines = hostLines(host);
  const hostPx = Math.min(hostPxMax, Math.floor(hostWidthPx / Math.max(...lines.map(widthInEms))));
  const hostY = 270 - (lines.length - 1) * hostPx * 0.6;
  const verdictY = hostY + (lines.length - 1) * hostPx * 1.2 + 80;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${sharePictureSize.widthPx} ${sharePictureSize.heightPx}" font-family="${pictureFont}">`,
    `<rect width="100%" height="100%" fill="${colors.page}"/><rect width="100%" height="12" fill="${color}"/>`,
    ring(score, color, texts.of),
    ...lines.map((line, at) => text(line, { x: textX, y: hostY + at * hostPx * 1.2, px: hostPx, bold: true, color: colors.text })),
    text(drawable(texts.verdict), { x: textX, y: verdictY, px: 44, bold: true, color }),
    text(drawable(texts.at), { x: textX, y: verdictY + 56, px: 30, color: colors.muted }),
    brand(),
    "</svg>",
  ].join("");
}

function ring(score: number | null, color: string, of: string): string {
  const [x, y, radius] = [270, 315, 165];
  // Lengths along the circle: the renderer knows no `pathLength`.
  const hundredth = (2 * Math.PI * radius) / 100;
  const circle = (stroke: string, drawn: number, left: number) =>
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="none" stroke="${stroke}" stroke-width="30" stroke-dasharray="${drawn * hundredth} ${left * hundredth}" transform="rotate(-90 ${x} ${y})"/>`;
  const number = { x, px: 124, bold: true, middle: true };
  // Dashes: nothing was measured, which is no zero.
  if (score === null) return circle(colors.track, 1, 2.125) + text("?", { ...number, y: y + 44, color: colors.muted });
  return [
    circle(colors.track, 100, 0),
    score > 0 ? circle(color, score, 100) : "",
    text(String(score), { ...number, y: y + 36, color: colors.text }),
    text(drawable(of), { x, y: y + 84, px: 32, color: colors.muted, middle: true }),
  ].join("");
}

function brand(): string {
  const [x, y] = [textX + 17, 560];
  const length = 2 * Math.PI * 14;
  const mark = `<circle cx="${x}" cy="${y}" r="14" fill="none" stroke="${colors.accent}" stroke-width="6" stroke-dasharray="${0.87 * length} ${length}" transform="rotate(-90 ${x} ${y})"/>`;
  return mark + text("assay", { x: textX + 46, y: y + 11, px: 32, bold: true, color: colors.text });
}

/** Unicode where the font has it. Lines break after a dot or hyphen. The end says whose host it is, so a long one loses its start. */
function hostLines(ascii: string): readonly string[] {
  const unicode = unicodeHost(ascii);
  const host = drawable(unicode) === "" ? ascii : unicode;
  const breaks = new RegExp(`.{1,${hostLineChars}}$|.{1,${hostLineChars - 1}}[.-]|.{1,${hostLineChars}}`, "gu");
  const lines = host.match(breaks) ?? [host];
  return lines.length <= hostLinesMax ? lines : lines.slice(-hostLinesMax).map((line, at) => (at === 0 ? `\u2026${line}` : line));
}

/** Estimated: no text is measured here. */
function widthInEms(line: string): number {
  return [...line].reduce(
    (sum, char) => sum + (/[mw@\u0448\u0449\u0436\u044e\u0444]/i.test(char) ? 0.95 : /[.:\-ijlft1]/.test(char) ? 0.4 : 0.65),
    0,
  );
}

/** Empty for text in another script: missing letters would look like a fault. */
function drawable(line: string): string {
  return drawableText.test(line) ? line : "";
}

interface TextStyle {
  readonly x: number;
  /** Baseline. */
  readonly y: number;
  readonly px: number;
  readonly color: string;
  readonly bold?: boolean;
  readonly middle?: boolean;
}

function text(content: string, { x, y, px, color, bold = false, middle = false }: TextStyle): string {
  const anchor = middle ? ' text-anchor="middle"' : "";
  return `<text x="${x}" y="${y}" font-size="${px}" font-weight="${bold ? 700 : 400}" fill="${color}"${anchor}>${Bun.escapeHTML(content)}</text>`;
}
