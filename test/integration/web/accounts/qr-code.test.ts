/** The SVG path draws exactly the modules of the code, on white, with a quiet zone. */
import { renderToString } from "preact-render-to-string";
import { encode } from "uqr";
import { expect, test } from "vitest";
import { QrCode } from "../../../../src/web/accounts/second-factor.tsx";

const text = "otpauth://totp/assay%20host:me%40assay.test?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=assay%20host";

test("draws exactly the dark modules", () => {
  const svg = renderToString(QrCode({ text, label: 'a "label"' }));
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
    for (let at = 0; at < Number(run); at++) (drawn[Number(y)] ?? [])[Number(x) + at] = true;
  const { data } = encode(text, { ecc: "M", border: 4 });
  expect(drawn).toEqual(data);
  for (const edge of [drawn.slice(0, 4), drawn.slice(-4), drawn.map((row) => row.slice(0, 4))])
    expect(edge.flat().some(Boolean)).toBe(false);
  expect(svg).toContain('aria-label="a &quot;label&quot;"');
  expect(svg).not.toContain("style=");
});
