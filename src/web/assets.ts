/** Style sheet, script and icons: embedded files; the first two under names that contain a content hash. */
import { readFileSync } from "node:fs";
import touchIcon from "./assets/apple-touch-icon.png" with { type: "file" };
import oldIcon from "./assets/favicon.ico" with { type: "file" };
import icon from "./assets/favicon.svg" with { type: "text" };
import { script } from "./client/script.ts";
import { acceptsGzip, respond } from "./response.ts";
import { style } from "./style.ts";
import type { Visit } from "./visit.ts";

const hashChars = 12;
/** A name with a content hash never changes its content (RFC 8246). */
const cacheForever = "public, max-age=31536000, immutable";
const cacheOneDay = "public, max-age=86400";

interface Bodies {
  /** Absent for formats that are compressed already. */
  readonly gzip?: Uint8Array<ArrayBuffer>;
  readonly identity: Uint8Array<ArrayBuffer>;
}

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly cacheControl: string;
  readonly bodies: () => Bodies;
}

const styleAsset = textAsset(`/assets/${hashOf(style)}.css`, "text/css; charset=utf-8", style, cacheForever);
const scriptAsset = textAsset(`/assets/${hashOf(script)}.js`, "text/javascript; charset=utf-8", script, cacheForever);
const icons = [
  textAsset("/favicon.svg", "image/svg+xml", icon, cacheOneDay),
  imageAsset("/favicon.ico", "image/x-icon", oldIcon),
  imageAsset("/apple-touch-icon.png", "image/png", touchIcon),
];

export const assets = [styleAsset, scriptAsset, ...icons];
export const stylePath = styleAsset.path;
export const scriptPath = scriptAsset.path;

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, hashChars);
}

function textAsset(path: string, type: string, text: string, cacheControl: string): Asset {
  const bytes = Buffer.from(text);
  // Brotli would save one kilobyte and cost a tenth of a second at every start.
  const bodies = { gzip: Bun.gzipSync(bytes), identity: bytes };
  return { path, type, cacheControl, bodies: () => bodies };
}

/** Reads the file at the first request. */
function imageAsset(path: string, type: string, file: string): Asset {
  let bodies: Bodies | null = null;
  return {
    path,
    type,
    cacheControl: cacheOneDay,
    bodies: () => {
      bodies ??= { identity: new Uint8Array(readFileSync(file)) };
      return bodies;
    },
  };
}

export function assetAnswer(visit: Visit, { type, cacheControl, bodies }: Asset): Response {
  const { gzip, identity } = bodies();
  const packed = acceptsGzip(visit) ? gzip : undefined;
  return respond(visit, 200, packed ?? identity, {
    "content-type": type,
    "cache-control": cacheControl,
    ...(gzip === undefined ? {} : { vary: "Accept-Encoding" }),
    ...(packed === undefined ? {} : { "content-encoding": "gzip" }),
  });
}
