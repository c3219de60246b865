/** Lines of remediations for every server, framework and service: for one finding, or one configuration for all findings. */
import type { Fix } from "../../check/fix.ts";
import type { TextValues } from "../i18n.ts";
import { apache, htaccess } from "./apache.ts";
import { caddy } from "./caddy.ts";
import { cloudflare } from "./cloudflare.ts";
import { fixesOfStage, type PolicyStage, reportsOnly } from "./drafted.ts";
import { express } from "./express.ts";
import {
  filledFixes,
  type HeaderChange,
  headerChanges,
  isKept,
  isMergeable,
  mergedFixes,
  namesAllCookies,
  needsNewPolicy,
} from "./fixes.ts";
import { iis } from "./iis.ts";
import { nginx } from "./nginx.ts";
import type { ServerNote, Target, WriteNote } from "./target.ts";
import { traefik } from "./traefik.ts";
import { wordpress } from "./wordpress.ts";

const targets = { nginx, apache, caddy, iis, express, htaccess, cloudflare, wordpress, traefik } satisfies Record<string, Target>;

export type ServerName = keyof typeof targets;

/** Servers in the order of the selection on pages. */
export const serverNames = Object.keys(targets) as readonly ServerName[];

/** Servers whose lines are part of the API's remediations. */
const apiServers: readonly ServerName[] = ["nginx", "apache", "caddy"];

/** Servers that cannot be run here: only the form of their lines is tested. */
const testedByForm: readonly ServerName[] = ["iis", "cloudflare", "traefik"];

/** Characters of a header value that the guess reads. */
const guessedCharsMax = 512;

/** Products by their names in Server and X-Powered-By; the first match counts. */
const products: readonly (readonly [RegExp, ServerName])[] = [
  [/cloudflare/i, "cloudflare"],
  [/nginx|openresty|tengine/i, "nginx"],
  [/litespeed/i, "htaccess"],
  [/apache(?!-coyote)/i, "apache"],
  [/caddy/i, "caddy"],
  [/microsoft-iis|asp\.net/i, "iis"],
  [/\bexpress\b|next\.js/i, "express"],
  [/wordpress|wp engine/i, "wordpress"],
  [/traefik/i, "traefik"],
];

/** A finding with the declarations of the catalog. */
export interface FixedFinding {
  readonly code: string;
  readonly fixes: readonly Fix[];
  /** Values of the finding and `host`. */
  readonly values: TextValues;
}

interface ServerConfiguration {
  readonly text: string;
  /** Codes whose findings are all repaired by the text. */
  readonly codes: readonly string[];
  /** Codes of the findings that need other steps. */
  readonly left: readonly string[];
}

export function isServerName(word: string | null): word is ServerName {
  return word !== null && Object.hasOwn(targets, word);
}

/** Name of the product, equal in every language. */
export function serverLabel(server: ServerName): string {
  return targets[server].label;
}

/** True if the lines were tested by scanning a site with the real product, before and after. */
export function isTestedForReal(server: ServerName): boolean {
  return !testedByForm.includes(server);
}

/** Product that a Server or X-Powered-By value names; null without a value or a known name. */
export function guessServer(serverHeaderValue: string | null): ServerName | null {
  const value = (serverHeaderValue ?? "").slice(0, guessedCharsMax);
  return products.find(([pattern]) => pattern.test(value))?.[1] ?? null;
}

/** Lines of one finding, where drafted policies only report; null if it has no fixes, the server cannot express one, or a value could change their meaning. */
export function linesFor(server: ServerName, fixes: readonly Fix[], values: TextValues): string | null {
  const all = filledFixes(fixes, values);
  const filled = all === null ? null : fixesOfStage(all, "reported");
  const target = targets[server];
  if (filled === null || filled.length === 0 || !filled.every((fix) => target.expresses(fix))) return null;
  const lines = target.lines(filled);
  return lines.length === 0 ? null : lines.join("\n");
}

/** A remediation as the API sends it: advice, then lines, each after the name of its server. For one server alone: its lines as they are pasted. */
export function withServerLines(remediation: string, fixes: readonly Fix[], values: TextValues, only: ServerName | null = null): string {
  const lines = (only === null ? apiServers : [only]).flatMap((server) =>
    (linesFor(server, fixes, values) ?? "")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [only === null ? `${serverLabel(server)}: ${line}` : line])),
  );
  return [remediation, ...lines].join("\n");
}

/**
 * One configuration for the findings, of one stage: each header has one value, and nothing is declared twice. `write` gives the texts of comments. The
 * text is empty if no finding can be repaired in this way.
 */
export function configurationFor(
  server: ServerName,
  items: readonly FixedFinding[],
  write: WriteNote,
  stage: PolicyStage = "enforced",
): ServerConfiguration {
  const target = targets[server];
  const { merged, codes, left } = combinedFixes(items, target, stage);
  if (merged.length === 0) return { text: "", codes: [], left };
  return { text: target.whole(merged, notesOf(server, merged), write).join("\n"), codes, left };
}

/** Expresses every fix of header fields, and no other. */
const headersOnly: Pick<Target, "expresses"> = {
  expresses: ({ kind }) => kind === "header" || kind === "remove-header" || kind === "policy",
};

/** What one configuration for the findings does to header fields, on any server, with its policy enforced. */
export function headerChangesFor(items: readonly FixedFinding[]): {
  readonly changes: readonly HeaderChange[];
  /** As in `ServerConfiguration`. */
  readonly codes: readonly string[];
} {
  const { merged, codes } = combinedFixes(items, headersOnly, "enforced");
  return { changes: headerChanges(merged), codes };
}

interface CombinedFixes extends Pick<ServerConfiguration, "codes" | "left"> {
  readonly merged: readonly Fix[];
}

function combinedFixes(items: readonly FixedFinding[], target: Pick<Target, "expresses">, stage: PolicyStage): CombinedFixes {
  const written = items.map(({ code, fixes, values }) => ({
    code,
    // Lines for an example, or for some of the cookies, repair nothing that could be counted.
    fixes: (namesAllCookies(fixes, values) ? filledFixes(fixes, values) : null) ?? [],
  }));
  const all = written.flatMap(({ fixes }) => fixes);
  const filled = written.map(({ code, fixes }) => ({ code, fixes: fixesOfStage(fixes, stage, all) }));
  const isExpressed = expressedBy(
    target,
    filled.flatMap(({ fixes }) => fixes),
  );
  const expressed = filled.filter(({ fixes }) => fixes.length > 0 && fixes.every((fix) => isMergeable(fix) && isExpressed(fix)));
  const merged = mergedFixes(expressed.flatMap(({ fixes }) => fixes));
  const cured = expressed.filter(({ fixes }) => fixes.every((fix) => (fix.kind !== "policy" || fix.cures) && isKept(fix, merged)));
  const uncured = new Set(filled.filter((item) => !cured.includes(item)).map(({ code }) => code));
  return { merged, codes: [...new Set(cured.map(({ code }) => code))].filter((code) => !uncured.has(code)), left: [...uncured] };
}

/** Merged policies may become a plain header, which more targets express than a policy beside another. */
function expressedBy(target: Pick<Target, "expresses">, all: readonly Fix[]): (fix: Fix) => boolean {
  const isNew = needsNewPolicy(all);
  const isHeader = isNew || all.some((fix) => fix.kind === "policy" && fix.present === "none");
  return (fix) => {
    if (fix.kind === "new-policy") return isNew;
    return target.expresses(fix.kind === "policy" && isHeader ? { ...fix, present: "none" } : fix);
  };
}

/** Warnings first: what to test before, and where the lines belong. */
function notesOf(server: ServerName, fixes: readonly Fix[]): readonly ServerNote[] {
  const headers = fixes.filter((fix) => fix.kind === "header");
  const policy = headers.find(({ name }) => name === "Content-Security-Policy");
  const notes: readonly (readonly [ServerNote, boolean])[] = [
    [`place.${server}`, true],
    ["test", true],
    ["policy", !headers.some(reportsOnly) && (policy !== undefined || fixes.some(({ kind }) => kind === "policy"))],
    ["policyReports", headers.some(reportsOnly)],
    ["policyReplaced", policy?.replaces === true],
    ["subdomains", headers.some(({ value }) => value.includes("includeSubDomains"))],
    ["origin", headers.some(({ value }) => value.includes("https://app.example"))],
    ["cookies", fixes.some(({ kind }) => kind === "cookie")],
  ];
  return notes.filter(([, applies]) => applies).map(([note]) => note);
}
