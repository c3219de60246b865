/** Reads SPF records: their version, terms and what is wrong with them; RFC 7208 sections 4.5, 4.6 and 12. */
import ipaddr from "ipaddr.js";
import { isSpfMacroString, spfDomainDefect } from "./spf-macro.ts";

export type SpfQualifier = "+" | "-" | "~" | "?";
export type SpfMechanismName = "all" | "include" | "a" | "mx" | "ptr" | "ip4" | "ip6" | "exists";

export interface SpfMechanism {
  readonly name: SpfMechanismName;
  readonly qualifier: SpfQualifier;
  /** As written, macros and all; null where the mechanism speaks of the domain itself, or of addresses. */
  readonly domain: string | null;
  /** Its network, or that around each address that it finds, takes in every IPv4 or every IPv6 address. */
  readonly everyAddress: boolean;
  /** The term as written. */
  readonly text: string;
}

/**
 * `unknown-mechanism`: neither a mechanism of RFC 7208 nor a modifier. `bad-address`: no address of that family, or a prefix
 * length that it cannot have. `bad-domain`: a name is missing or is none. `bad-macro`: a percent sign that begins no macro.
 * `bad-argument`: the mechanism takes none, or not of that kind. `repeated-modifier`: redirect or exp twice.
 */
export type SpfDefectKind = "unknown-mechanism" | "bad-address" | "bad-domain" | "bad-macro" | "bad-argument" | "repeated-modifier";

export interface SpfDefect {
  readonly kind: SpfDefectKind;
  /** The term as written. */
  readonly text: string;
}

export interface SpfRecord {
  /** In order, without those that are no terms. */
  readonly mechanisms: readonly SpfMechanism[];
  /** Where the evaluation goes on when no mechanism matches, as written; the first when repeated. */
  readonly redirect: { readonly domain: string; readonly text: string } | null;
  /** Any one of them makes the whole record invalid (section 4.6). */
  readonly defects: readonly SpfDefect[];
}

/** Section 4.5: the version is followed by a blank or by nothing. */
const versionForm = /^v=spf1(?: |$)/i;
const termForm = /^([-+~?]?)([a-z][a-z0-9._-]*)(.*)$/is;
/** No leading zeros: the grammar of section 5.6. */
const prefixForm = /^(?:0|[1-9]\d{0,2})$/;
const byteForm = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ip4Form = new RegExp(`^${byteForm}(?:\\.${byteForm}){3}$`);
const bits = { ip4: 32, ip6: 128 } as const;

/** Null for a text that is no SPF record: receivers pass over it. */
export function parseSpf(text: string): SpfRecord | null {
  const version = versionForm.exec(text);
  if (version === null) return null;
  const mechanisms: SpfMechanism[] = [];
  const modifiers = new Map<string, { readonly domain: string; readonly text: string }>();
  const defects: SpfDefect[] = [];
  for (const term of text.slice(version[0].length).split(" ")) {
    if (term === "") continue;
    const read = readTerm(term);
    if ("kind" in read) defects.push(read);
    else if ("qualifier" in read) mechanisms.push(read);
    else if (read.name !== null && modifiers.has(read.name)) defects.push({ kind: "repeated-modifier", text: term });
    else if (read.name !== null) modifiers.set(read.name, { domain: read.domain, text: term });
  }
  return { mechanisms, redirect: modifiers.get("redirect") ?? null, defects };
}

/** A text that is meant as an SPF record, but whose version no receiver knows: `v=spf10`, `v=spf1;`, `spf1 -all`. */
export function isMisspeltSpf(text: string): boolean {
  return !versionForm.test(text) && /^["' \t]*(?:v *= *)?spf-?1/i.test(text);
}

interface Modifier {
  /** Lower case; null for one that means nothing to RFC 7208. */
  readonly name: "redirect" | "exp" | null;
  readonly domain: string;
}

function readTerm(text: string): SpfMechanism | Modifier | SpfDefect {
  const [, sign = "", word = "", rest = ""] = termForm.exec(text) ?? [];
  const name = word.toLowerCase();
  if (rest.startsWith("=") && sign === "") return readModifier(name, rest.slice(1), text);
  const reader = Object.hasOwn(argumentReaders, name) ? argumentReaders[name as SpfMechanismName] : undefined;
  if (reader === undefined || (rest !== "" && rest[0] !== ":" && rest[0] !== "/")) return { kind: "unknown-mechanism", text };
  const argument = reader(rest);
  if (typeof argument === "string") return { kind: argument, text };
  return { name: name as SpfMechanismName, qualifier: (sign || "+") as SpfQualifier, ...argument, text };
}

function readModifier(name: string, value: string, text: string): Modifier | SpfDefect {
  if (name !== "redirect" && name !== "exp") return isSpfMacroString(value) ? { name: null, domain: "" } : { kind: "bad-macro", text };
  const defect = spfDomainDefect(value);
  return defect === null ? { name, domain: value } : { kind: defect, text };
}

type Argument = Pick<SpfMechanism, "domain" | "everyAddress">;
/** Reads what stands behind the name of a mechanism, from its colon or slash on. */
type ArgumentReader = (rest: string) => Argument | SpfDefectKind;

const argumentReaders: Readonly<Record<SpfMechanismName, ArgumentReader>> = {
  all: (rest) => (rest === "" ? { domain: null, everyAddress: false } : "bad-argument"),
  include: readDomain,
  a: readHost,
  mx: readHost,
  ptr: (rest) => (rest === "" ? { domain: null, everyAddress: false } : readDomain(rest)),
  ip4: (rest) => readNetwork(rest, "ip4"),
  ip6: (rest) => readNetwork(rest, "ip6"),
  exists: readDomain,
};

function readDomain(rest: string): Argument | SpfDefectKind {
  if (rest.startsWith("/")) return "bad-argument";
  const domain = rest.slice(1);
  return spfDomainDefect(domain) ?? { domain, everyAddress: false };
}

/** A name, or none, and up to two prefix lengths: `:name/24//64`. */
function readHost(rest: string): Argument | SpfDefectKind {
  const [, name = "", ip4Prefix, ip6Prefix] = /^(.*?)(?:\/(\d+))?(?:\/\/(\d+))?$/s.exec(rest) ?? [];
  if (name.startsWith("/")) return "bad-address";
  if (!isPrefix(ip4Prefix, "ip4") || !isPrefix(ip6Prefix, "ip6")) return "bad-address";
  const everyAddress = ip4Prefix === "0" || ip6Prefix === "0";
  if (name === "") return { domain: null, everyAddress };
  const domain = name.slice(1);
  return spfDomainDefect(domain) ?? { domain, everyAddress };
}

function readNetwork(rest: string, family: "ip4" | "ip6"): Argument | SpfDefectKind {
  const [address = "", ...prefixes] = rest.slice(1).split("/");
  const [prefix, ...more] = prefixes;
  const isSound = rest.startsWith(":") && more.length === 0 && isAddress(address, family) && isPrefix(prefix, family);
  return isSound ? { domain: null, everyAddress: prefix === "0" } : "bad-address";
}

function isAddress(text: string, family: "ip4" | "ip6"): boolean {
  if (family === "ip4") return ip4Form.test(text);
  // RFC 4291 section 2.2 lets the last four bytes stand as IPv4 does; zones are of RFC 4007 and no part of it.
  const tail = text.slice(text.lastIndexOf(":") + 1);
  return /^[0-9a-f:.]{2,45}$/i.test(text) && (!tail.includes(".") || ip4Form.test(tail)) && ipaddr.IPv6.isValid(text);
}

function isPrefix(text: string | undefined, family: "ip4" | "ip6"): boolean {
  return text === undefined || (prefixForm.test(text) && Number(text) <= bits[family]);
}
