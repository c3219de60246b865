/** Logo of a stored brand. */
import { parseImageSize } from "../parse/image-size.ts";
import type { StoredBrand } from "./site-accounts.ts";

/** As our own browser drew it; sides in pixels. */
export interface StoredLogo {
  readonly png: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** Null without one. */
export function storedLogo({ logoPng }: StoredBrand): StoredLogo | null {
  if (logoPng === null) return null;
  const png = new Uint8Array(Buffer.from(logoPng, "base64"));
  const size = parseImageSize(png);
  return size === null || size === "broken" ? null : { png, width: size.width, height: size.height };
}

/** Logo as it is stored. */
export function logoText(png: Uint8Array): string {
  return Buffer.from(png).toString("base64");
}
