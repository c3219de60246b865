/** Writes the icons for browsers and systems that take no SVG, from the one icon in SVG: `npm run icons`. */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { renderPng } from "../src/web/picture/render-png.ts";

// reads: src/web/assets/
const assets = resolve(import.meta.dirname, "../src/web/assets");
/** Tabs, high-density tabs, and desktop shortcuts. */
const icoSizesPx = [16, 32, 48] as const;
/** Size that iOS asks for. */
const touchIconPx = 180;
const touchMarginPx = 26;

export interface IconFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export async function freshIcons(): Promise<readonly IconFile[]> {
  const svg = readFileSync(`${assets}/favicon.svg`, "utf8");
  const pngs = await Promise.all(icoSizesPx.map((px) => renderPng(svg, px)));
  return [
    { path: `${assets}/favicon.ico`, bytes: icoOf(pngs) },
    { path: `${assets}/apple-touch-icon.png`, bytes: await renderPng(onWhite(svg), touchIconPx) },
  ];
}

/** iOS paints transparent parts black and rounds the corners. */
function onWhite(svg: string): string {
  const inner = touchIconPx - 2 * touchMarginPx;
  const place = `x="${touchMarginPx}" y="${touchMarginPx}" width="${inner}" height="${inner}"`;
  const frame = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${touchIconPx} ${touchIconPx}"><rect width="100%" height="100%" fill="#fff"/>`;
  return `${frame}${svg.replace("<svg ", `<svg ${place} `)}</svg>`;
}

/** ICO file of PNG images: a directory of 16 bytes each after a head of 6. */
function icoOf(pngs: readonly Uint8Array[]): Uint8Array {
  const head = Buffer.alloc(6 + 16 * pngs.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pngs.length, 4);
  let offset = head.length;
  for (const [at, png] of pngs.entries()) {
    const entry = head.subarray(6 + 16 * at);
    entry.writeUInt8(icoSizesPx[at] ?? 0, 0);
    entry.writeUInt8(icoSizesPx[at] ?? 0, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(png.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...pngs]);
}

if (import.meta.main) for (const { path, bytes } of await freshIcons()) writeFileSync(path, bytes);
