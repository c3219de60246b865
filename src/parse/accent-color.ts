/** Accent colour of a brand, as typed or picked. */

/** WCAG 2.2, success criterion 1.4.3: text of ordinary size. */
const contrastMin = 4.5;

/**
 * `#rrggbb` in lower case, from three or six hexadecimal digits with or without `#`. Null for anything else. `low-contrast`: text in this
 * colour is hard to read on white.
 */
export function parseAccent(text: string): string | "low-contrast" | null {
  const [, digits = ""] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text.trim()) ?? [];
  if (digits === "") return null;
  const color = `#${digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits}`.toLowerCase();
  return contrastWithWhite(color) < contrastMin ? "low-contrast" : color;
}

/** Contrast ratio from 1 to 21 (WCAG 2.2, definition of contrast ratio). */
function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16)));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

/** Part of the luminance of one channel from 0 to 255 (WCAG 2.2, definition of relative luminance). */
function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
