/** Scopes of a rule as a form has them: `all`, `site:7`, `tag:live` or `client:Acme`. */
import { recordIdOf } from "../../../base/record-id.ts";
import type { RuleScope } from "../../../store/notification-rules.ts";
import type { Site } from "../../../store/sites.ts";

export function scopeValue(scope: RuleScope): string {
  switch (scope.kind) {
    case "all":
      return "all";
    case "site":
      return `site:${scope.siteId}`;
    case "tag":
      return `tag:${scope.tag}`;
    case "client":
      return `client:${scope.client}`;
  }
}

/** Every scope of these sites: all, then clients, tags and sites by name. `kept` follows if it has no site any more. */
export function scopesOf(sites: readonly Site[], kept: RuleScope | null): readonly RuleScope[] {
  const scopes = namedScopes(sites);
  const isKnown = kept === null || scopes.some((scope) => scopeValue(scope) === scopeValue(kept));
  return isKnown ? scopes : [...scopes, kept];
}

function namedScopes(sites: readonly Site[]): readonly RuleScope[] {
  const clients = new Set(sites.flatMap(({ client }) => client ?? []));
  const tags = new Set(sites.flatMap((site) => site.tags));
  return [
    { kind: "all" },
    ...[...clients].sort().map((client): RuleScope => ({ kind: "client", client })),
    ...[...tags].sort().map((tag): RuleScope => ({ kind: "tag", tag })),
    ...sites.toSorted((one, other) => one.name.localeCompare(other.name)).map(({ id }): RuleScope => ({ kind: "site", siteId: id })),
  ];
}

/** Null unless the scope has a site. `kept`: scope of the rule that is changed, which may have none any more. */
export function scopeNamed(value: string, sites: readonly Site[], kept: RuleScope | null): RuleScope | null {
  if (kept !== null && value === scopeValue(kept)) return kept;
  if (value === "all") return { kind: "all" };
  const [, kind, text = ""] = /^(site|tag|client):([\s\S]+)$/.exec(value) ?? [];
  if (kind === "site") return sites.some(({ id }) => id === recordIdOf(text)) ? { kind, siteId: recordIdOf(text) } : null;
  if (kind === "tag") return sites.some(({ tags }) => tags.includes(text)) ? { kind, tag: text } : null;
  return kind === "client" && sites.some(({ client }) => client === text) ? { kind, client: text } : null;
}
