/** Parses SPF records into terms and defects: RFC 7208 sections 4.5, 4.6 and 12. */
import ipaddr from "ipaddr.js";
import { isSpfMacroString, spfDomainDefect } from "./spf-macro.ts";

type SpfQualifier = "+" | "-" | "~" | "?";
type SpfMechanismName = "all" | "include" | "a" | "mx" | "ptr" | "ip4" | "ip6" | "exists";

export interface SpfMechanism {
  readonly name: SpfMechanismName;
  readonly qualifier: SpfQualifier;
  /** As written, with macros; null if the mechanism uses the current domain or an address. */
  readonly domain: string | null;
  /** True if its network, or the network around each resolved address, contains every IPv4 or every IPv6 address. */
  readonly everyAddress: boolean;
  /** The term as written. */
  readonly text: string;
}

/**
 * `unknown-mechanism`: neither a mechanism of RFC 7208 nor a modifier. `bad-address`: not an address of that family, or an invalid prefix
 * length. `bad-domain`: a name is missing or invalid. `bad-macro`: a percent sign without a valid macro. `bad-argument`: the mechanism does
 * not accept this argument. `repeated-modifier`: redirect or exp occurs twice.
 */
export type SpfDefectKind = "unknown-mechanism" | "bad-address" | "bad-domain" | "bad-macro" | "bad-argument" | "repeated-modifier";

interface SpfDefect {
  readonly kind: SpfDefectKind;
  /** The term as written. */
  readonly text: string;
}

export interface SpfRecord {
  /** In order, without invalid terms. */
  readonly mechanisms: readonly SpfMechanism[];
  /** Target for mail that matches no mechanism, as written; the first if repeated. */
  readonly redirect: { readonly domain: string; readonly text: string } | null;
  /** A single defect invalidates the complete record (RFC 7208 section 4.6). */
  readonly defects: readonly SpfDefect[];
}

/** RFC 7208 section 4.5: a space or the end of the text follows the version. */
const versionPattern = /^v=spf1(?: |$)/i;
const termPattern = /^([-+~?]?)([a-z][a-z0-9._-]*)(.*)$/is;
/** Without leading zeros (RFC 7208 section 5.6). */
const prefixPattern = /^(?:0|[1-9]\d{0,2})$/;
const bytePattern = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ip4Pattern = new RegExp(`^${bytePattern}(?:\\.${bytePattern}){3}$`);
const bits = { ip4: 32, ip6: 128 } as const;

/** Null for a text that is not an SPF record; receivers ignore it. */
export function parseSpf(text: string): SpfRecord | null {
  const version = versionPattern.exec(text);
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

/** True for a text that looks like an SPF record with an invalid version: `v=spf10`, `v=spf1;`, `spf1 -all`. */
export function isMisspeltSpf(text: string): boolean {
  return !versionPattern.test(text) && /^["' \t]*(?:v *= *)?spf-?1/i.test(text);
}

interface Modifier {
  /** Lower case; null for a modifier that RFC 7208 does not define. */
  readonly name: "redirect" | "exp" | null;
  readonly domain: string;
}

function readTerm(text: string): SpfMechanism | Modifier | SpfDefect {
  const [, sign = "", word = "", rest = ""] = termPattern.exec(text) ?? [];
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
/** Parses the text after a mechanism's name, including its colon or slash. */
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

/** Optional name and up to two prefix lengths: `:name/24//64`. */
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
  if (family === "ip4") return ip4Pattern.test(text);
  // RFC 4291 section 2.2 allows IPv4 notation for the last four bytes. Zones (RFC 4007) are not allowed.
  const tail = text.slice(text.lastIndexOf(":") + 1);
  return /^[0-9a-f:.]{2,45}$/i.test(text) && (!tail.includes(".") || ip4Pattern.test(tail)) && ipaddr.IPv6.isValid(text);
}

function isPrefix(text: string | undefined, family: "ip4" | "ip6"): boolean {
  return text === undefined || (prefixPattern.test(text) && Number(text) <= bits[family]);
}
