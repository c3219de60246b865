/** Length limits of DNS names, and properties of CAA records. */
import { dnsNameCharsMax } from "../evidence/limits.ts";
import { trimBlanks } from "./header-syntax.ts";

export const dnsLabelCharsMax = 63;

/** True if a name without its trailing dot has no empty label and fits the limits. Does not check characters. */
export function fitsDns(name: string): boolean {
  return name.length <= dnsNameCharsMax && name.split(".").every((label) => label !== "" && label.length <= dnsLabelCharsMax);
}

// Parses properties of CAA records: RFC 8659 section 4, the parameters of RFC 8657, and later registered tags.

/** `tag`: not alphanumeric. `issuer`: not a domain name. `parameter`: not `tag=value`. `url`: an authority cannot send reports to it. */
export type CaaDefect = "tag" | "issuer" | "parameter" | "url";

/** RFC 8659, RFC 9495 (issuemail), and tags of the CA/Browser Forum and the mark authorities. */
const issuerTags = ["issue", "issuewild", "issuemail", "issuevmc"];
const otherTags = ["iodef", "contactemail", "contactphone"];

/** Parses the tag and value of one record. Tags are case-insensitive (RFC 8659 section 4.1). */
export function parseCaaProperty(
  tag: string,
  value: string,
): {
  /** Lower case. */
  readonly tag: string;
  /** True if certificate authorities or mail systems define the tag. */
  readonly known: boolean;
  readonly defect: CaaDefect | null;
} {
  const name = tag.toLowerCase();
  const known = issuerTags.includes(name) || otherTags.includes(name);
  return { tag: name, known, defect: /^[a-z0-9]+$/.test(name) ? defectOf(name, value) : "tag" };
}

function defectOf(tag: string, value: string): CaaDefect | null {
  if (issuerTags.includes(tag)) return issuerDefect(value);
  // RFC 8659 section 4.4.
  if (tag === "iodef") return /^(?:mailto:[^\s@]+@[^\s@]+|https?:\/\/[^\s/]\S*)$/i.test(value) ? null : "url";
  return null;
}

const label = "[a-z0-9]+(?:-+[a-z0-9]+)*";
const issuerPattern = new RegExp(`^${label}(?:\\.${label})*$`, "i");
/** RFC 8659 section 4.2: any printable character except the semicolon, or an empty value. */
const parameterPattern = new RegExp(`^${label}[\\t ]*=[\\t ]*[\\x21-\\x3a\\x3c-\\x7e]*$`, "i");

/** RFC 8659 section 4.2. An empty issuer forbids every authority. */
function issuerDefect(value: string): CaaDefect | null {
  const [issuer = "", ...parameters] = value.split(";").map(trimBlanks);
  if (issuer !== "" && !issuerPattern.test(issuer)) return "issuer";
  // The list of parameters may be empty, but not one of its members.
  if (parameters.length === 1 && parameters[0] === "") return null;
  return parameters.every((parameter) => parameterPattern.test(parameter)) ? null : "parameter";
}
