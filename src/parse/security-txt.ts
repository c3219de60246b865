/** Parses security.txt and decides where a site has it: RFC 9116. */
import { dayMs } from "../base/units.ts";
import type { SecurityTxtFacts } from "../evidence/http-facts.ts";
import { isHttps } from "./header-fields.ts";

/** RFC 5646 section 2.1. No language subtag of 4 to 8 letters is registered, so that only 2 and 3 letters name a language. */
const langtag =
  /^([a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/i;
const privateUse = /^x(?:-[a-z\d]{1,8})+$/i;
/** RFC 5646 section 2.1, "irregular": registered before this grammar. */
const irregular: readonly string[] = (
  "en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu " +
  "sgn-be-fr sgn-be-nl sgn-ch-de"
).split(" ");
/** Language subtags of two letters in the IANA registry. Country codes such as `us`, `jp` and `cz` are not among them. */
const shortLanguages: readonly string[] = (
  "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff " +
  "fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko " +
  "kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl " +
  "ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz " +
  "ve vi vo wa wo xh yi yo za zh zu"
).split(" ");

/** True for a tag that is well-formed and begins with a known language. Codes of three letters are not looked up. */
export function isLanguageTag(text: string): boolean {
  const language = langtag.exec(text)?.[1]?.toLowerCase();
  if (language === undefined) return privateUse.test(text) || irregular.includes(text.toLowerCase());
  return language.length === 3 || shortLanguages.includes(language);
}

// Parses security.txt line by line: the grammar of RFC 9116 section 4 and the cleartext signature around it (RFC 9580 section 7).

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
  /** Fields in order, unknown names included: RFC 9116 section 2.4 allows extensions. */
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

// Decides from the security.txt answers whether a site has the file, and where: RFC 9116 section 3.

type SecurityTxtAttempt = SecurityTxtFacts["attempts"][number];

/** `well-known`: the standard location. `root`: only the legacy location. */
type SecurityTxtFound =
  | { readonly at: "well-known"; readonly attempt: SecurityTxtAttempt }
  | { readonly at: "root"; readonly attempt: SecurityTxtAttempt }
  | { readonly at: "nowhere" }
  | { readonly at: "unknown" };

/** Location of the file; `nowhere` if the site denies having it, `unknown` if the answers are inconclusive. */
export function foundSecurityTxt({ attempts }: SecurityTxtFacts): SecurityTxtFound {
  const [wellKnown, root] = attempts;
  if (wellKnown === undefined) return { at: "unknown" };
  const state = stateOf(wellKnown);
  if (state === "file") return { at: "well-known", attempt: wellKnown };
  if (state === "unknown") return { at: "unknown" };
  return root !== undefined && stateOf(root) === "file" ? { at: "root", attempt: root } : { at: "nowhere" };
}

/** Many sites answer every path with status 200 and an HTML page. Such a page counts only if it reads like the file. */
function stateOf({ status, contentType, body }: SecurityTxtAttempt): "file" | "none" | "unknown" {
  if (status === 404 || status === 410) return "none";
  if (status !== 200) return "unknown";
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? "") && !isMeantAsSecurityTxt(body) ? "none" : "file";
}

/** Requests on the way to the file that prove nothing about it. */
interface UnsafeHops {
  /** URL whose certificate was refused. */
  readonly refused: string | null;
  /** URL over plain http. */
  readonly plain: string | null;
  /** True if a certificate could not be read. */
  readonly isUnread: boolean;
}

/** Evidence of older versions has no hops: only the last URL is known. */
export function unsafeHops({ finalUrl, hops = [] }: SecurityTxtAttempt): UnsafeHops {
  return {
    refused: hops.find(({ certificate }) => certificate === "refused")?.url ?? null,
    plain: [{ url: finalUrl }, ...hops].find(({ url }) => !isHttps(url))?.url ?? null,
    isUnread: hops.some(({ certificate }) => certificate === "unread"),
  };
}

/** RFC 9116 section 2.5.5 recommends less than one year. */
const validDays = 360;

/** Suggested value for Expires; `now` is ISO 8601. */
export function suggestedExpiry(now: string): string {
  return `${new Date(Date.parse(now) + validDays * dayMs).toISOString().slice(0, 10)}T00:00:00Z`;
}
