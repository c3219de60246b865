/** What a browser of our own does with documents of our own, as its callers see it. */

/** Prints an HTML file that needs no network. `busy`: too many wait. `failed`: it took too long or broke, as the log says. */
export type PrintPdf = (html: string) => Promise<Uint8Array<ArrayBuffer> | "busy" | "failed">;

/** Seconds after which the browser for documents is likely to be free. */
export const printRetrySeconds = 20;

/** Longest logo, in bytes. */
export const logoBytesMax = 200_000;
/** Longest upload that is read to its end, so that a picture of a camera gets its own refusal. Its bytes are not kept. */
export const logoUploadBytesMax = 12_000_000;

/** Height and width of a logo in reports and mails, in pixels; logos are stored with up to twice of them. */
const logoHeightMax = 64;
const logoWidthMax = 240;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Size at which a logo is shown: never larger than it is. */
export function shownLogoSize({ width, height }: Size): Size {
  const scale = Math.min(1, logoWidthMax / width, logoHeightMax / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** PNG made from the pixels of an uploaded image, without anything else that its file held. */
export interface DecodedLogo {
  readonly png: Uint8Array<ArrayBuffer>;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** `wrong-type`: neither PNG nor still WebP. `broken`: not decodable, or not within the whole time for it. */
export type LogoFault = "too-large" | "wrong-type" | "too-many-pixels" | "broken" | "busy";

export type DecodeLogo = (bytes: Uint8Array) => Promise<DecodedLogo | LogoFault>;
