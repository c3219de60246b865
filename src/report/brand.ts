/** Brand of an account: what its reports show in place of the name of the program. */

export interface Brand {
  readonly name: string;
  /** Null without one. */
  readonly logo: BrandLogo | null;
  /** `#rrggbb` as `parseAccent` returns it; null for the colour of assay. */
  readonly accent: string | null;
  /** One line below each report; null without one. */
  readonly footer: string | null;
}

export interface BrandLogo {
  /** `data:` URI in files, which load nothing; a path of the appliance on pages, whose policy allows no `data:`. */
  readonly src: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Logo for a file. `png`: as our own browser drew it, never as it was uploaded. */
export function embeddedLogo({
  png,
  width,
  height,
}: {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}): BrandLogo {
  return { src: `data:image/png;base64,${Buffer.from(png).toString("base64")}`, width, height };
}
