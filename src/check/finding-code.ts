/** Form of finding codes. */
import type { FindingCode } from "./check.ts";

const codePattern = /^security\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/;
const codeCharsMax = 128;

export function isFindingCode(text: string): text is FindingCode {
  return text.length <= codeCharsMax && codePattern.test(text);
}
