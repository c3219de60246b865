/** QR code as inline SVG: dark on light in every theme, as scanners require. */
import { encode } from "uqr";

/** Light modules around the code (ISO/IEC 18004 section 6.3.8). */
const quietZone = 4;

interface QrCodeProps {
  readonly text: string;
  /** Text for screen readers. */
  readonly label: string;
}

export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: "M", border: quietZone });
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width={size * 4} height={size * 4} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(pathOfRow).join("")} fill="#000" />
    </svg>
  );
}

/** SVG path with one segment per run of dark modules. */
function pathOfRow(row: readonly boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < row.length; x++) {
    const start = x;
    while (row[x] === true) x++;
    if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`;
  }
  return path;
}
