/** Style sheet, script and icon: embedded files under names that contain a content hash. */
import icon from "./assets/favicon.svg" with { type: "text" };
import { script } from "./client/script.ts";
import { respond } from "./response.ts";
import { style } from "./style.ts";
import type { Visit } from "./visit.ts";

const hashChars = 12;
/** A name with a content hash never changes its content (RFC 8246). */
const cacheForever = "public, max-age=31536000, immutable";
const cacheOneDay = "public, max-age=86400";

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly cacheControl: string;
  readonly bodies: Readonly<Record<"gzip" | "identity", Uint8Array<ArrayBuffer>>>;
}

const styleAsset = asset(`/assets/${hashOf(style)}.css`, "text/css; charset=utf-8", style, cacheForever);
const scriptAsset = asset(`/assets/${hashOf(script)}.js`, "text/javascript; charset=utf-8", script, cacheForever);
const iconAsset = asset("/favicon.svg", "image/svg+xml", icon, cacheOneDay);

export const assets = [styleAsset, scriptAsset, iconAsset];
export const stylePath = styleAsset.path;
export const scriptPath = scriptAsset.path;

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, hashChars);
}

function asset(path: string, type: string, text: string, cacheControl: string): Asset {
  const bytes = Buffer.from(text);
  // Brotli would save one kilobyte and cost a tenth of a second at every start.
  return { path, type, cacheControl, bodies: { gzip: Bun.gzipSync(bytes), identity: bytes } };
}

export function assetAnswer(visit: Visit, { type, cacheControl, bodies }: Asset): Response {
  const encoding = /\bgzip\b/.test(visit.request.headers.get("accept-encoding") ?? "") ? "gzip" : "identity";
  return respond(visit, 200, bodies[encoding], {
    "content-type": type,
    "cache-control": cacheControl,
    vary: "Accept-Encoding",
    ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
  });
}
