/** Accepted findings: the entries of an accept file (TOML), and which of them hold for a finding. */

import { isFindingCode } from "../check/check.ts";
import { urlHost } from "../parse/address.ts";
import { hostOf } from "../parse/site.ts";
import { nearest, type TextFault } from "../parse/text.ts";
import { isTomlTable, parseTomlDocument, type TomlDocument, type TomlTable } from "../parse/toml.ts";
import type { Acceptance } from "./finding-mark.ts";

/** Size of an accept file in bytes; far more than its entries need. */
export const acceptFileBytesMax = 1024 ** 2;
const entriesMax = 1_000;
const reasonCharsMax = 500;
const patternCharsMax = 2_048;

export interface AcceptEntry extends Acceptance {
  /** Code of the finding. */
  readonly code: string;
  /** Host in its ASCII form, or `*.` and a domain whose subdomains are meant; null for every host. */
  readonly host: string | null;
  /** Path of a URL, or its beginning followed by `*`; null for every path. */
  readonly path: string | null;
  /** Line of the entry, from 1. */
  readonly line: number;
}

type Parsed<T> = { readonly [K in keyof T]: T[K] } | { readonly fault: TextFault };

const arrayName = "accept";
const keys = ["code", "host", "path", "reason", "until"];

/** Entries of `[[accept]]`, in their order; the first fault otherwise. */
export function parseAcceptFile(text: string): Parsed<{ entries: readonly AcceptEntry[] }> {
  const document = parseTomlDocument(text);
  if ("fault" in document) return document;
  const stray = Object.keys(document.table).find((name) => name !== arrayName);
  if (stray !== undefined) return { fault: faultAt(document, [stray], unknownKey(stray, [arrayName])) };
  const given = document.table[arrayName] ?? [];
  if (!Array.isArray(given) || !given.every(isTomlTable))
    return { fault: faultAt(document, [arrayName], `"${arrayName}" must be an array of tables: [[${arrayName}]]`) };
  if (given.length > entriesMax)
    return { fault: faultAt(document, [arrayName, String(entriesMax)], `there are more than ${entriesMax} entries`) };
  const entries: AcceptEntry[] = [];
  for (const [at, table] of given.entries()) {
    const entry = entryOf(table, [arrayName, String(at)], document);
    if ("fault" in entry) return entry;
    entries.push(entry);
  }
  return { entries };
}

function entryOf(table: TomlTable, path: readonly string[], document: TomlDocument): Parsed<AcceptEntry> {
  const day = document.dayAt([...path, "until"]) ?? table.until;
  const faults = [
    ...Object.keys(table).map((name) => [name, keys.includes(name) ? null : unknownKey(name, keys)] as const),
    ["code", isFilled(table.code) && isFindingCode(table.code) ? null : `"code" must name a finding, as in "security.hsts.missing"`],
    ["reason", reasonFault(table.reason)],
    [
      "host",
      table.host === undefined || normalHost(table.host) !== null
        ? null
        : `"host" must be a host such as "www.example.org" or "*.example.org"`,
    ],
    ["path", table.path === undefined || normalPath(table.path) !== null ? null : `"path" must begin with /, and may end with *`],
    ["until", table.until === undefined || isDay(day) ? null : `"until" must be a date such as 2027-03-01`],
  ] as const;
  const found = faults.find(([, reason]) => reason !== null);
  if (found !== undefined) return { fault: faultAt(document, [...path, found[0]], found[1] ?? "") };
  return {
    code: String(table.code),
    host: normalHost(table.host),
    path: normalPath(table.path),
    reason: oneLine(table.reason),
    until: table.until === undefined ? null : String(day),
    line: document.positionOf(path).line,
  };
}

function faultAt(document: TomlDocument, path: readonly string[], reason: string): TextFault {
  return { reason, ...document.positionOf(path) };
}

function unknownKey(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `unknown key "${name}"${meant === null ? `; known are ${known.join(", ")}` : `; did you mean "${meant}"?`}`;
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function reasonFault(reason: unknown): string | null {
  if (!isFilled(reason)) return `"reason" must say why the finding is accepted`;
  return reason.length > reasonCharsMax ? `"reason" must have at most ${reasonCharsMax} characters` : null;
}

function oneLine(reason: unknown): string {
  return String(reason).trim().replace(/\s+/g, " ");
}

function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

const subdomains = "*.";

/** Null unless the value is a bare host name (no port, no scheme), with or without `*.`. */
function normalHost(value: unknown): string | null {
  if (typeof value !== "string" || value.length > patternCharsMax) return null;
  const wildcard = value.startsWith(subdomains) ? subdomains : "";
  const name = value.slice(wildcard.length);
  const authority = urlHost(name);
  if (!/^[^\s/?#@\\*]+$/.test(authority)) return null;
  const url = URL.parse(`http://${authority}`);
  return url === null || url.port !== "" || /\]:/.test(authority) ? null : wildcard + (hostOf(url.href) ?? "");
}

/** Null unless the value is a path. Characters are encoded as in a URL. */
function normalPath(value: unknown): string | null {
  if (typeof value !== "string" || value.length > patternCharsMax || !/^\/[^\s?#*\\]*\*?$/.test(value) || value.startsWith("//"))
    return null;
  return URL.parse(value, "http://host")?.pathname ?? null;
}

/** Whether the entry is about pages of this URL. */
export function coversUrl({ host, path }: AcceptEntry, url: string): boolean {
  const pageHost = hostOf(url) ?? "";
  const pagePath = URL.parse(url)?.pathname ?? "";
  return (
    (host === null || (host.startsWith(subdomains) ? pageHost.endsWith(host.slice(1)) : pageHost === host)) &&
    (path === null || (path.endsWith("*") ? pagePath.startsWith(path.slice(0, -1)) : pagePath === path))
  );
}

/** Whether its last day is over. `today` is `YYYY-MM-DD`. */
export function hasExpired({ until }: AcceptEntry, today: string): boolean {
  return until !== null && until < today;
}
