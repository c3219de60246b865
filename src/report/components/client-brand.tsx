/** Brand of an account at the top and at the bottom of a report, in place of that of assay. */
import { shownLogoSize } from "../../base/documents.ts";
import type { Brand } from "../brand.ts";

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
