/** Parses security.txt line by line: the grammar of RFC 9116 section 4 and the cleartext signature around it (RFC 9580 section 7). */
import { isLanguageTag } from "./language-tag.ts";

interface SecurityTxtField {
  /** Lower case; names are case-insensitive (RFC 9116 section 4). */
  readonly name: string;
  readonly value: string;
  /** Line number in the served file, starting at 1. */
  readonly line: number;
}

export interface SecurityTxtDefect {
  /**
   * `line-malformed`: neither a field nor a comment nor empty. `line-unended`: no line feed at the end, or a lone carriage return.
   * `encoding`: invalid UTF-8, or a byte order mark. `signature-malformed`: the signature's envelope is incomplete. `uri-http`: plain http
   * where https is required. `uri-invalid`: not a URI. `languages-invalid`: not a list of language tags.
   */
  readonly kind: "line-malformed" | "line-unended" | "encoding" | "signature-malformed" | "uri-http" | "uri-invalid" | "languages-invalid";
  readonly line: number;
  readonly text: string;
}

interface SecurityTxt {
  /** In order, unknown names included: RFC 9116 section 2.4 allows extensions. */
  readonly fields: readonly SecurityTxtField[];
  readonly defects: readonly SecurityTxtDefect[];
}

interface Line {
  readonly number: number;
  readonly text: string;
}

const signedMark = "-----BEGIN PGP SIGNED MESSAGE-----";
const signatureMark = "-----BEGIN PGP SIGNATURE-----";
const signatureEnd = "-----END PGP SIGNATURE-----";
/** RFC 9116 section 4: a name, a colon, one space and a value. The value of an unknown field may be empty. */
const fieldPattern = /^([\x21-\x39\x3b-\x7e]+):(?: (.*))?$/;
const uriFields = ["acknowledgments", "canonical", "contact", "csaf", "encryption", "hiring", "policy"];
const knownFields = [...uriFields, "expires", "preferred-languages"];
const uriPattern = /^([a-z][a-z0-9+.-]*):([\x21-\x7e]+)$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern tests for control characters.
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Parses `body`, decoded from UTF-8 with U+FFFD for invalid bytes. */
export function parseSecurityTxt(body: string): SecurityTxt {
  const { lines, defects } = readLines(body);
  const { content, defect } = openEnvelope(lines);
  if (defect !== null) defects.push(defect);
  const fields: SecurityTxtField[] = [];
  for (const line of content) {
    if (line.text === "" || (line.text.startsWith("#") && !control.test(line.text))) continue;
    const field = fieldOf(line);
    if (field === null) {
      defects.push(defectAt("line-malformed", line));
      continue;
    }
    fields.push(field);
    const kind = valueDefect(field);
    if (kind !== null) defects.push(defectAt(kind, line));
  }
  return { fields, defects };
}

function fieldOf({ number, text }: Line): SecurityTxtField | null {
  const [matched, written = "", value = ""] = fieldPattern.exec(text) ?? [];
  const name = written.toLowerCase();
  if (matched === undefined || control.test(text) || (knownFields.includes(name) && !/^\S/.test(value))) return null;
  return { name, value, line: number };
}

function defectAt(kind: SecurityTxtDefect["kind"], { number, text }: Line): SecurityTxtDefect {
  return { kind, line: number, text };
}

/** Lines without line ends. RFC 9116 section 2.2: each ends in a line feed with an optional carriage return before it. */
function readLines(body: string): { readonly lines: readonly Line[]; readonly defects: SecurityTxtDefect[] } {
  const defects: SecurityTxtDefect[] = [];
  const marked = body.startsWith("\ufeff");
  const raw = (marked ? body.slice(1) : body).split("\n");
  const last = raw.pop() ?? "";
  const lines: Line[] = [];
  for (const [at, written] of [...raw, ...(last === "" ? [] : [last])].entries()) {
    const unended = at === raw.length || /\r(?!$)/.test(written);
    // Some authors separate lines with a lone carriage return.
    for (const text of written.replace(/\r$/, "").split("\r")) lines.push({ number: at + 1, text: text.trimEnd() });
    const line = { number: at + 1, text: written.trimEnd() };
    if (unended && !defects.some(({ kind }) => kind === "line-unended")) defects.push(defectAt("line-unended", line));
    if (written.includes("\ufffd") && !defects.some(({ kind }) => kind === "encoding")) defects.push(defectAt("encoding", line));
  }
  if (marked) defects.unshift(defectAt("encoding", { number: 1, text: lines[0]?.text ?? "" }));
  return { lines, defects };
}

/** Signed lines without dash escapes. The signature itself is not verified. */
function openEnvelope(lines: readonly Line[]): { readonly content: readonly Line[]; readonly defect: SecurityTxtDefect | null } {
  const opening = lines[0];
  if (opening?.text !== signedMark) return { content: lines, defect: null };
  const bodyAt = lines.findIndex(({ text }) => text === "") + 1;
  const signatureAt = lines.findIndex(({ text }) => text === signatureMark);
  const endAt = lines.findIndex(({ text }) => text === signatureEnd);
  const content = lines.slice(bodyAt, signatureAt < 0 ? undefined : signatureAt).map(withoutDash);
  // RFC 9580 section 7.1 allows only the Hash header here.
  const strayHeader = lines.slice(1, Math.max(1, bodyAt - 1)).find(({ text }) => !/^Hash: ?[\w, -]+$/.test(text));
  const bareDash = lines.slice(bodyAt, signatureAt < 0 ? undefined : signatureAt).find(({ text }) => /^-(?! )/.test(text));
  const trailing = endAt < 0 ? undefined : lines.slice(endAt + 1).find(({ text }) => text !== "");
  const isWhole = bodyAt > 0 && signatureAt >= bodyAt && endAt > signatureAt;
  const faulty = isWhole ? (strayHeader ?? bareDash ?? trailing) : opening;
  return { content, defect: faulty === undefined ? null : defectAt("signature-malformed", faulty) };
}

function withoutDash({ number, text }: Line): Line {
  return { number, text: text.replace(/^- /, "") };
}

function valueDefect({ name, value }: SecurityTxtField): SecurityTxtDefect["kind"] | null {
  if (name === "preferred-languages") {
    return value.split(",").every((tag) => isLanguageTag(tag.trim())) ? null : "languages-invalid";
  }
  return uriFields.includes(name) ? uriDefect(value) : null;
}

/** RFC 9116 section 2.5: web URIs must use https, mail addresses mailto, and telephone numbers tel. */
function uriDefect(value: string): "uri-http" | "uri-invalid" | null {
  const [matched, scheme = "", rest = ""] = uriPattern.exec(value) ?? [];
  if (matched === undefined) return "uri-invalid";
  switch (scheme.toLowerCase()) {
    case "http":
      return "uri-http";
    case "https":
      return rest.startsWith("//") && URL.canParse(value) ? null : "uri-invalid";
    case "mailto":
      return /^[^@?]+@[^@?]+(?:\?.*)?$/.test(rest) ? null : "uri-invalid";
    case "tel":
      return /^\+?[\d().*#a-f-]+(?:;.*)?$/i.test(rest) ? null : "uri-invalid";
    default:
      return null;
  }
}

export function securityTxtValues({ fields }: SecurityTxt, name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}

/** True for a text that reads like security.txt, regardless of its content type. An HTML page is excluded even if it has such a line. */
export function isMeantAsSecurityTxt(body: string): boolean {
  return !/^[\ufeff\s]*</.test(body) && /^(?:contact|expires):/im.test(body);
}
