/** Content Security Policies of a modelled site. */
import { type CspPolicy, parseCsp } from "../../../../src/parse/csp.ts";
import type { Site } from "./site.ts";

/** Policies of the header and of meta elements. */
export function enforcedPolicies({ headers, metaPolicies }: Pick<Site, "headers" | "metaPolicies">): readonly CspPolicy[] {
  return [...parseCsp(headers["content-security-policy"] ?? []), ...parseCsp(metaPolicies)];
}

/** The site with another policy beside its own: browsers enforce each of them. */
export function withPolicy(site: Site, policy: string): Site {
  const policies = site.headers["content-security-policy"] ?? [];
  return { ...site, headers: { ...site.headers, "content-security-policy": [...policies, policy] } };
}

/** The site with each directive of its policies replaced; null removes a directive. */
export function withDirectives(site: Site, replace: (directive: string) => string | null): Site {
  const rewritten = (policies: readonly string[]) =>
    policies.map((text) =>
      text
        .split(",")
        .map((policy) =>
          policy
            .split(";")
            .flatMap((part) => replace(part.trim()) ?? [])
            .join("; "),
        )
        .join(", "),
    );
  const values = site.headers["content-security-policy"];
  return {
    ...site,
    headers: values === undefined ? site.headers : { ...site.headers, "content-security-policy": rewritten(values) },
    metaPolicies: rewritten(site.metaPolicies),
  };
}

/** The site without a source in the directives of that name. An empty list means `'none'`. */
export function withoutSource(site: Site, directives: readonly string[], source: string): Site {
  return withDirectives(site, (directive) => {
    const [name = "", ...sources] = directive.split(/\s+/);
    return directives.includes(name) ? [name, ...sources.filter((one) => one !== source)].join(" ") : directive;
  });
}
