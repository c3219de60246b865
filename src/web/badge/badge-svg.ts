/** Drawing of a badge: label and message side by side. It needs no font of its own, no style and no script. */
import type { Badge } from "./badge.ts";

const heightPx = 20;
const fontPx = 11;
/** Left and right of each text. */
const paddingPx = 6;
const baselinePx = 14;
const labelColor = "#3b4148";
/** Keeps the drawing small whatever the texts are. */
const textCharsMax = 60;
/** Advance widths of Verdana in hundredths of the font size: the widest of the fonts named below. */
const widthGroups: readonly (readonly [chars: string, width: number])[] = [
  ["ijl'|", 30],
  [" ft.,:;!()[]/-", 42],
  ["rsczJI", 52],
  ["mwMW%@", 98],
  ["ABCDEFGHKLNOPQRSTUVXYZ", 74],
];
const otherWidth = 64;
const widths = new Map(widthGroups.flatMap(([chars, width]) => [...chars].map((char): [string, number] => [char, width])));

export function badgeSvg({ label, message, color }: Pick<Badge, "label" | "message" | "color">): string {
  const [left, right] = [label, message].map((text) => text.slice(0, textCharsMax)) as [string, string];
  const [leftPx, rightPx] = [boxPx(left), boxPx(right)];
  const name = Bun.escapeHTML(`${left}: ${right}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${leftPx + rightPx}" height="${heightPx}" role="img" aria-label="${name}">`,
    `<title>${name}</title>`,
    `<rect width="${leftPx}" height="${heightPx}" fill="${labelColor}"/>`,
    `<rect x="${leftPx}" width="${rightPx}" height="${heightPx}" fill="${color}"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${fontPx}">`,
    textAt(0, left),
    textAt(leftPx, right),
    "</g></svg>",
  ].join("");
}

/** The length is fixed, so that the text fits its box in any font. */
function textAt(boxX: number, text: string): string {
  return `<text x="${boxX + paddingPx}" y="${baselinePx}" textLength="${textPx(text)}" lengthAdjust="spacingAndGlyphs">${Bun.escapeHTML(text)}</text>`;
}

function boxPx(text: string): number {
  return textPx(text) + 2 * paddingPx;
}

function textPx(text: string): number {
  const hundredths = [...text].reduce((sum, char) => sum + (widths.get(char) ?? otherWidth), 0);
  return Math.ceil((hundredths * fontPx) / 100);
}
