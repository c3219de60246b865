/** Parses the endpoints that a response declares for reports: Reporting-Endpoints, and Report-To of the older draft. */
import { isObject } from "../base/is-object.ts";
import { tryOr } from "../base/try-or.ts";
import { parseStructuredDictionary } from "./header-syntax.ts";

/** Group of a Report-To member without a name. */
const defaultGroup = "default";

/**
 * Absolute URLs of the declared endpoints by name. Names whose value browsers skip are left out: no text, or no URL. Reporting API section
 * 3.3, and for Report-To section 3.1 of the draft of 2018, which Chromium still reads.
 */
export function declaredEndpoints(
  reportingEndpoints: readonly string[],
  reportTo: readonly string[],
  pageUrl: string,
): ReadonlyMap<string, readonly string[]> {
  const older = groupsOf(reportTo).map(([name, urls]) => [name, urls.flatMap((url) => absoluteUrl(url, pageUrl))] as const);
  const newer = [...(parseStructuredDictionary(reportingEndpoints) ?? [])].map(([name, values]) => {
    const [value] = values;
    return [name, values.length === 1 && value?.kind === "string" ? absoluteUrl(value.text, pageUrl) : []] as const;
  });
  // Reporting-Endpoints goes before Report-To where both declare a name.
  return new Map([...older, ...newer].filter(([, urls]) => urls.length > 0));
}

/** Names and URLs of the groups. The fields are a JSON list without its brackets; a lifetime of 0 removes a group. */
function groupsOf(fields: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const members: unknown = tryOr(() => JSON.parse(`[${fields.join(",")}]`), null);
  if (!Array.isArray(members)) return [];
  return members.filter(isObject).flatMap(({ group = defaultGroup, max_age: lifetimeSeconds, endpoints }) => {
    if (typeof group !== "string" || typeof lifetimeSeconds !== "number" || !(lifetimeSeconds > 0)) return [];
    const urls = Array.isArray(endpoints) ? endpoints.filter(isObject).flatMap(({ url }) => (typeof url === "string" ? [url] : [])) : [];
    return [[group, urls] as const];
  });
}

function absoluteUrl(text: string, base: string): readonly string[] {
  return URL.canParse(text, base) ? [new URL(text, base).href] : [];
}
