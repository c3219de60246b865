/** Policies of fixes as the scan drafted them, first as header fields that only report. */
import type { Fix } from "../../check/fix.ts";
import type { ScanDraft } from "../../judge/result.ts";

const reportOnlyName = "Content-Security-Policy-Report-Only";

/** `reported`: drafted policies only report. `enforced`: all policies are enforced, as predicted scores count them. */
export type PolicyStage = "reported" | "enforced";

/** The fixes with the policy that the scan drafted in place of general ones. Without a draft, they stay as they are. */
export function draftedFixes(fixes: readonly Fix[], draft: Pick<ScanDraft, "policy"> | null): readonly Fix[] {
  if (draft === null) return fixes;
  const { policy } = draft;
  const formAction = directivesOf(policy).find((directive) => directive.startsWith("form-action "));
  return fixes.map((fix): Fix => {
    if (fix.kind === "new-policy") return { ...fix, directives: policy };
    if (fix.kind !== "policy") return fix;
    if (isGeneral(fix)) return { ...fix, directives: policy, reportsFirst: true };
    const own = directivesOf(fix.directives).map((directive) =>
      directive.startsWith("form-action ") ? (formAction ?? directive) : directive,
    );
    return { ...fix, directives: own.join("; ") };
  });
}

/** True if a draft takes the place of one of the fixes, so that its lines only report. */
export function areDrafted(fixes: readonly Fix[]): boolean {
  return fixes.some((fix) => fix.kind === "policy" && isGeneral(fix));
}

/** True if the policy of the site would give way to the draft, or a draft takes the place of a general one. */
export function asksForDraft(fixes: readonly Fix[]): boolean {
  return areDrafted(fixes) || fixes.some((fix) => fix.kind === "new-policy" && fix.needed);
}

/** A policy on all that a page loads: without a look at the page, it may break it. */
function isGeneral({ directives, present }: Extract<Fix, { readonly kind: "policy" }>): boolean {
  return present === "weak" || directivesOf(directives).some((directive) => directive.startsWith("default-src "));
}

function directivesOf(policy: string): readonly string[] {
  return policy.split(";").map((directive) => directive.trim());
}

/**
 * Filled fixes of a stage. A policy of the site stays in force while the drafted one only reports. `all`: fixes of all findings, which say
 * whether the site has a policy.
 */
export function fixesOfStage(fixes: readonly Fix[], stage: PolicyStage, all = fixes): readonly Fix[] {
  if (stage === "enforced") return fixes;
  const isFirst = all.some((fix) => fix.kind === "policy" && fix.present === "none");
  return fixes.flatMap((fix): readonly Fix[] => {
    if (fix.kind === "policy" && fix.reportsFirst === true) return [reporting(fix.directives)];
    if (fix.kind === "policy" && isFirst) return [{ ...fix, present: "none" }];
    if (fix.kind !== "new-policy" || fix.directives === undefined) return [fix];
    return fix.needed ? [reporting(fix.directives)] : [];
  });
}

function reporting(value: string): Fix {
  return { kind: "header", name: reportOnlyName, value, replaces: false, optional: false };
}

export function reportsOnly(fix: Fix): boolean {
  return fix.kind === "header" && fix.name === reportOnlyName;
}
