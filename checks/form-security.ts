/** Checks that browsers send passwords neither in an address nor from a page without encryption. */
import { foundAtAddresses, type MarkupFacts, notApplicable, registerCheck, useCertificate, violatedBy } from "assay/check";
import { isHttps } from "assay/check/parsers";

export default registerCheck({
  key: "form-security",
  weight: 5,
  area: "content",
  standards: ["HTML: Form submission", "RFC 9110 section 17.9"],
  appliesTo: ["html"],
  reads: ["navigation", "markup"],
  findings: {
    "security.content.password-without-https": { severity: "critical", riskLevel: "high", effort: "medium", cwe: 523 },
    "security.content.password-form-get": { severity: "medium", riskLevel: "medium", effort: "high", cwe: 598, weight: 4 },
    "security.content.password-form-without-method": { severity: "low", riskLevel: "low", effort: "high", cwe: 598, weight: 1 },
  },
  fixes: {
    "security.content.password-without-https": [useCertificate("{{host}}", "listen")],
  },
  judge({ navigation: { finalUrl }, markup }) {
    const complete = markup.passwordFormsDropped === 0;
    if (markup.passwordFields === 0) return complete ? notApplicable() : violatedBy([], complete);
    const byGet = sentByGet(markup, finalUrl);
    const targetsOf = (isStated: boolean) => byGet.filter((form) => form.isStated === isStated).map(({ target }) => target);
    const found = [
      ...(isHttps(finalUrl) ? [] : foundAtAddresses("security.content.password-without-https", [finalUrl])),
      ...foundAtAddresses("security.content.password-form-get", targetsOf(true)),
      ...foundAtAddresses("security.content.password-form-without-method", targetsOf(false)),
    ];
    return violatedBy(found, complete);
  },
});

interface GetForm {
  readonly target: string;
  /** True if the markup names a method or an address. Forms with neither are usually sent by a script. */
  readonly isStated: boolean;
}

/** HTML standard, form submission: a button replaces the attributes of its form, and GET is the default of a method. */
function sentByGet({ passwordForms }: MarkupFacts, pageUrl: string): readonly GetForm[] {
  return passwordForms.flatMap(({ action, method, submitters }) => {
    const ways = submitters.length === 0 ? [{ action, method }] : submitters;
    return ways.flatMap((way): GetForm[] => {
      const statedMethod = way.method ?? method;
      const statedAction = way.action ?? action;
      const target = statedAction ?? pageUrl;
      const isGet = statedMethod !== "post" && statedMethod !== "dialog" && /^https?:/i.test(target);
      return isGet ? [{ target, isStated: statedMethod !== null || statedAction !== null }] : [];
    });
  });
}
