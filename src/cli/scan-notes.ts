/** What the policy says about the scans of a call, as lines on stderr. */
import type { CheckDefinition } from "../check/registry.ts";
import { nearest } from "../parse/text.ts";
import { failedPages, type PageVerdict, type Policy, type PolicyPage, unusedEntries } from "../policy/policy.ts";

export interface JudgedCall {
  readonly pages: readonly PolicyPage[];
  /** One for each page, in the same order. */
  readonly verdicts: readonly PageVerdict[];
  readonly policy: Policy;
  readonly checks: readonly CheckDefinition[];
  /** Path of the accept file, for messages. */
  readonly acceptFile: string | null;
}

/** Why the build fails, and what limits the verdict. Printed also with `--quiet`. */
export function policyFaults({ pages, verdicts, policy }: JudgedCall): readonly string[] {
  const unmeasured = pages.filter(({ result }) => result !== null && !result.measured);
  return [
    ...verdicts.flatMap((verdict) => shortfalls(verdict, policy)),
    ...verdicts.flatMap(({ url, expired, marks }) =>
      expired
        .filter(({ code }) => marks.get(code)?.inBaseline !== true)
        .map(({ code, entry }) => `${url}: ${code} counts again, because it was accepted until ${entry.until}`),
    ),
    ...(policy.needsMeasurement
      ? failedPages(unmeasured, policy).map(({ url }) => `${url}: not measured, so it counts as not scannable`)
      : policy.failOn === null
        ? []
        : unmeasured.map(({ url }) => `${url}: not measured, so --fail-on saw only part of the checks`)),
  ];
}

function shortfalls({ url, score, failing, scoreTooLow }: PageVerdict, policy: Policy): readonly string[] {
  const { baseline, failOn, failUnder } = policy;
  const flags = [...(baseline === null ? [] : ["--baseline"]), ...(failOn === null ? [] : ["--fail-on"])].join(", ");
  const kind = `${baseline === null ? "findings" : "new findings"}${failOn === null ? "" : ` that are ${failOn} or worse`}`;
  const codes = failing.map(({ code }) => code).join(", ");
  return [
    ...(failing.length > 0 ? [`${url}: ${kind}: ${failing.length} (${flags}): ${codes}`] : []),
    ...(scoreTooLow ? [`${url}: its score is ${score ?? "not measured"}, under ${failUnder} (--fail-under)`] : []),
  ];
}

/** What is worth knowing, and changes no exit code. */
export function policyNotes(call: JudgedCall): readonly string[] {
  const { verdicts, policy } = call;
  return [
    ...acceptNotes(call),
    ...verdicts.flatMap(({ url, beyondBaseline }) =>
      beyondBaseline.length === 0 ? [] : [`${url}: unknown when the baseline was written, so not counted: ${beyondBaseline.join(", ")}`],
    ),
    ...verdicts.flatMap(({ url, fixed }) => (fixed.length === 0 ? [] : [`${url}: fixed since the baseline: ${fixed.join(", ")}`])),
    ...(!policy.writesBaseline && verdicts.some(({ beyondBaseline, fixed }) => beyondBaseline.length + fixed.length > 0)
      ? ["the baseline is out of date; write it anew with --write-baseline"]
      : []),
  ];
}

function acceptNotes({ pages, verdicts, policy, checks, acceptFile }: JudgedCall): readonly string[] {
  if (acceptFile === null) return [];
  const accepted = verdicts.flatMap(({ marks }) => [...marks.values()].filter((mark) => mark.accepted !== null)).length;
  const expired = verdicts.flatMap((verdict) => verdict.expired).length;
  const codes = checks.flatMap(({ findings }) => Object.keys(findings));
  const unknown = policy.accepted.filter(({ code }) => !codes.includes(code));
  const unused = unusedEntries(policy.accepted, pages, checks).filter((entry) => !unknown.includes(entry));
  return [
    `${accepted} accepted, ${expired} expired`,
    ...unknown.map(({ code, line }) => {
      const meant = nearest(code, codes);
      return `${acceptFile}, line ${line}: no check reports "${code}"${meant === null ? "" : `; did you mean ${meant}?`}`;
    }),
    ...unused.map(({ code, line }) => `${acceptFile}, line ${line}: nothing to accept, ${code} was not found`),
  ];
}
