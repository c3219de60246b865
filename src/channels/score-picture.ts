/** Score ring of mails as PNG, drawn here: mail programs show neither SVG nor scripts, and block images of servers. */
import { crc32, deflateSync } from "node:zlib";
import { type Band, standing } from "../judge/result.ts";

/** Side of the square in CSS pixels, and of the file for dense screens. */
export const scorePicturePx = 88;
const sidePx = 2 * scorePicturePx;
const middle = sidePx / 2;
const ring = { radius: 76, halfWidth: 7 } as const;
const circumference = 2 * Math.PI * ring.radius;
/** Dashes of a ring without a score: nothing was measured, which is no zero. */
const dashPx = 6;

/** At least 3:1 on the light and on the dark card, as WCAG 2.2, 1.4.11 asks: one picture serves both. */
export const scoreColors: Readonly<Record<Band, string>> = { good: "#1f9254", warn: "#b56a00", poor: "#d6402f", unknown: "#7a8089" };
const trackAlpha = 0.3;

type Point = readonly [x: number, y: number];
type Line = readonly Point[];

/** Strokes on a grid of 6 by 10, with the origin at the upper left. */
const strokes: Readonly<Record<string, readonly Line[]>> = {
  "0": [[...arc(3, 3, 3, 180, 360), ...arc(3, 7, 3, 0, 180), [0, 3]]],
  "1": [line(0, 2.2, 2.6, 0, 2.6, 10)],
  "2": [[...arc(3, 3, 3, 190, 395), [0.2, 10], [6, 10]]],
  "3": [
    [...arc(3, 2.6, 2.6, 200, 450), [2.2, 5.2]],
    [[2.2, 5.2], ...arc(3, 7.6, 2.6, 270, 270), ...arc(2.9, 7.4, 2.6, 290, 515)],
  ],
  "4": [line(4.4, 10, 4.4, 0, 0, 7.2, 6, 7.2)],
  "5": [[[5.4, 0], [1, 0], [0.6, 4.9], ...arc(2.8, 6.9, 3.1, 235, 510)]],
  "6": [arc(3, 7, 3, 0, 360), line(0.5, 5.4, 4, 0)],
  "7": [line(0, 0, 6, 0, 2, 10)],
  "8": [arc(3, 2.5, 2.5, 0, 360), arc(3, 7.4, 2.6, 0, 360)],
  "9": [arc(3, 3, 3, 0, 360), line(5.5, 4.6, 2, 10)],
  "-": [line(0.5, 5, 5.5, 5)],
};
const glyphHeight = 10;
const glyphGap = 2.4;
const strokeHalf = 0.88;

function line(...numbers: readonly number[]): Line {
  return numbers.flatMap((x, at): readonly Point[] => (at % 2 === 0 ? [[x, numbers[at + 1] ?? 0]] : []));
}

/** Degrees run clockwise from the right. */
function arc(x: number, y: number, radius: number, from: number, to: number): Line {
  const steps = Math.max(1, Math.ceil((to - from) / 15));
  return Array.from({ length: steps + 1 }, (_, at): Point => {
    const angle = ((from + ((to - from) * at) / steps) * Math.PI) / 180;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** Drawn once for each score. */
const drawn = new Map<number | null, Uint8Array<ArrayBuffer>>();

/** `score`: 0 to 100; null if not measured. */
export function scorePicture(score: number | null): Uint8Array<ArrayBuffer> {
  const known = drawn.get(score);
  if (known !== undefined) return known;
  const picture = draw(score);
  drawn.set(score, picture);
  return picture;
}

function draw(score: number | null): Uint8Array<ArrayBuffer> {
  const number = numberOf(score === null ? "-" : String(score));
  // Each row begins with its filter: none.
  const rows = Buffer.alloc(sidePx * (1 + sidePx));
  for (let y = 0; y < sidePx; y++)
    for (let x = 0; x < sidePx; x++) {
      const [right, down] = [x + 0.5 - middle, y + 0.5 - middle];
      const alpha = Math.max(ringAlpha(right, down, score), coverage(strokePx(number, right, down)));
      rows[y * (1 + sidePx) + 1 + x] = Math.round(255 * alpha);
    }
  return pngOf(rows, Buffer.from(scoreColors[standing(score).band].slice(1), "hex"));
}

/** Share of a pixel that is covered, by its distance to the edge: positive inside. */
function coverage(insidePx: number): number {
  return Math.min(Math.max(0.5 + insidePx, 0), 1);
}

function ringAlpha(right: number, down: number, score: number | null): number {
  const across = ring.halfWidth - Math.abs(Math.hypot(right, down) - ring.radius);
  if (across < -0.5) return 0;
  // From the top, clockwise.
  const along = ((Math.atan2(right, -down) + 2 * Math.PI) % (2 * Math.PI)) * ring.radius;
  if (score === null) return coverage(Math.min(across, dashPx / 2 - Math.abs((along % (2 * dashPx)) - dashPx))) * 0.7;
  const end = (circumference * score) / 100;
  const within = along <= end ? Math.min(along, end - along) : -Math.min(along - end, circumference - along);
  const filled = score >= 100 ? across : Math.min(across, within);
  return Math.max(score <= 0 ? 0 : coverage(filled), coverage(across) * trackAlpha);
}

interface Segment {
  readonly from: Point;
  readonly to: Point;
}

/** Number as strokes, centred around the origin. */
interface DrawnNumber {
  readonly segments: readonly Segment[];
  readonly halfWidth: number;
  /** Half of its size, with the strokes. */
  readonly right: number;
  readonly down: number;
}

function numberOf(digits: string): DrawnNumber {
  const scale = digits.length > 2 ? 4.9 : 5.8;
  const widthOf = (digit: string) => Math.max(...(strokes[digit] ?? []).flat().map(([x]) => x));
  const glyphs = [...digits];
  const total = glyphs.reduce((sum, digit) => sum + widthOf(digit), glyphGap * (glyphs.length - 1));
  let left = -total / 2;
  const segments = glyphs.flatMap((digit) => {
    const place = ([x, y]: Point): Point => [(x + left) * scale, (y - glyphHeight / 2) * scale];
    const placed = (strokes[digit] ?? []).map((points) => points.map(place));
    left += widthOf(digit) + glyphGap;
    return placed.flatMap((points) => points.flatMap((to, at) => (at === 0 ? [] : [{ from: points[at - 1] ?? to, to }])));
  });
  const halfWidth = strokeHalf * scale;
  return { segments, halfWidth, right: (total / 2) * scale + halfWidth + 1, down: (glyphHeight / 2) * scale + halfWidth + 1 };
}

/** Distance to the edge of the nearest stroke, which has round ends: positive inside. */
function strokePx({ segments, halfWidth, ...half }: DrawnNumber, x: number, y: number): number {
  if (Math.abs(x) > half.right || Math.abs(y) > half.down) return Number.NEGATIVE_INFINITY;
  let nearest = Number.POSITIVE_INFINITY;
  for (const { from, to } of segments) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = dx * dx + dy * dy;
    const share = length === 0 ? 0 : Math.min(Math.max(((x - from[0]) * dx + (y - from[1]) * dy) / length, 0), 1);
    const [right, down] = [x - from[0] - share * dx, y - from[1] - share * dy];
    nearest = Math.min(nearest, right * right + down * down);
  }
  return halfWidth - Math.sqrt(nearest);
}

/** PNG (RFC 2083) with a palette of one colour in 256 opacities. */
function pngOf(rows: Uint8Array, color: Buffer): Uint8Array<ArrayBuffer> {
  const opacities = Array.from({ length: 256 }, (_, at) => at);
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(sidePx, 0);
  header.writeUInt32BE(sidePx, 4);
  const parts = [
    chunk("IHDR", header),
    chunk("PLTE", Buffer.concat(opacities.map(() => color))),
    chunk("tRNS", Buffer.from(opacities)),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]));
}

function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
