/** Reads properties of CAA records: RFC 8659 section 4, with the parameters of RFC 8657 and the tags registered since. */

import { trimBlanks } from "./header-list.ts";

/** `known`: an authority understands the tag. `defect`: the value is not of the tag's grammar. */
export interface CaaProperty {
  /** In lower case. */
  readonly tag: string;
  readonly known: boolean;
  readonly defect: CaaDefect | null;
}

/**
 * `tag`: not letters and digits alone. `issuer`: what should name an authority is no domain name. `parameter`: not of the form
 * `tag=value`. `url`: no URL that an authority can report to.
 */
export type CaaDefect = "tag" | "issuer" | "parameter" | "url";

/** RFC 8659, RFC 9495 (issuemail), and those that the CA/Browser Forum and the mark authorities brought along. */
const issuerTags = ["issue", "issuewild", "issuemail", "issuevmc"];
const otherTags = ["iodef", "contactemail", "contactphone"];

/** `tag` and `value` as they stand in the record. Tags compare without case. */
export function parseCaaProperty(tag: string, value: string): CaaProperty {
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
const issuerForm = new RegExp(`^${label}(?:\\.${label})*$`, "i");
/** RFC 8659 section 4.2: any printing character but the semicolon, or nothing. */
const parameterForm = new RegExp(`^${label}[\\t ]*=[\\t ]*[\\x21-\\x3a\\x3c-\\x7e]*$`, "i");

/** RFC 8659 section 4.2. No name before the semicolon stands for nobody. */
function issuerDefect(value: string): CaaDefect | null {
  const [issuer = "", ...parameters] = value.split(";").map(trimBlanks);
  if (issuer !== "" && !issuerForm.test(issuer)) return "issuer";
  // Only the list as a whole may be left out, not one of its members.
  if (parameters.length === 1 && parameters[0] === "") return null;
  return parameters.every((parameter) => parameterForm.test(parameter)) ? null : "parameter";
}
