/** Style of the HTML file, and a policy that allows this style and nothing else. */
import { reportStyle } from "../../report/style.ts";
import fileRules from "./file.css" with { type: "text" };

/** Without comments and indentation. */
export const fileStyle = [reportStyle, fileRules]
  .join("\n")
  .replaceAll(/\/\*.*?\*\//gs, "")
  .replaceAll(/\s*\n\s*/g, "\n")
  .trim();

/** The brand in a colour for light and dark tabs. */
export const fileIcon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="12" fill="none" stroke="#4a7fd6" stroke-width="5" stroke-dasharray="65.6 75.4" transform="rotate(-90 16 16)"/></svg>',
)}`;

const styleHash = new Bun.CryptoHasher("sha256").update(fileStyle).digest("base64");

/** For a meta element, where `frame-ancestors` has no effect (CSP level 3, section 3.3). */
export const filePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'`;
