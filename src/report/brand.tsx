/** Brand of an account, which reports show instead of assay's own. */
import { shownLogoSize } from "../base/documents.ts";

export interface Brand {
  readonly name: string;
  /** Logo; null without one. */
  readonly logo: BrandLogo | null;
  /** `#rrggbb` as `parseAccent` returns it; null shows assay's own colour. */
  readonly accent: string | null;
  /** One line below each report; null without one. */
  readonly footer: string | null;
}

export interface BrandLogo {
  /** `data:` URI in files, which load nothing; a path of the appliance on pages, whose policy allows no `data:`. */
  readonly src: string;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Logo for a file. `png` is the image that the appliance's browser drew, never the upload. */
export function embeddedLogo({ png, width, height }: Pick<BrandLogo, "width" | "height"> & { readonly png: Uint8Array }): BrandLogo {
  return { src: `data:image/png;base64,${Buffer.from(png).toString("base64")}`, width, height };
}

export function BrandMark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke-width="5">
      <circle class="mark-track" cx="16" cy="16" r="12" />
      <circle class="mark" cx="16" cy="16" r="12" pathLength={100} stroke-dasharray="87 100" transform="rotate(-90 16 16)" />
    </svg>
  );
}

interface BrandProps {
  readonly brand: Brand;
}

export function BrandHeader({ brand: { name, logo, accent } }: BrandProps) {
  return (
    <div class="client-brand">
      {logo !== null && <img src={logo.src} alt="" {...shownLogoSize(logo)} />}
      <span>{name}</span>
      {accent !== null && <AccentLine color={accent} />}
    </div>
  );
}

export function BrandFooter({ brand: { footer } }: BrandProps) {
  return footer === null ? null : <p class="client-brand-footer">{footer}</p>;
}

/** A drawing, since the policies of pages and files allow no style of their own. */
function AccentLine({ color }: { readonly color: string }) {
  return (
    <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width="1" height="1" fill={color} />
    </svg>
  );
}
