/** Checks that scripts and style sheets from other sites have an integrity attribute. */
import { foundAtAddresses, notApplicable, registerCheck, violatedBy } from "assay/check";
import { isPinnableUrl } from "assay/check/parsers";

export default registerCheck({
  key: "subresource-integrity",
  weight: 2,
  area: "content",
  standards: ["W3C Subresource Integrity"],
  reads: ["dom"],
  findings: {
    "security.content.script-without-integrity": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 353 },
    "security.content.style-without-integrity": { severity: "medium", riskLevel: "low", effort: "medium", cwe: 353 },
    // The owner of the file changes it under the same address, so that no hash stays true.
    "security.content.script-unpinnable": { severity: "info", riskLevel: "low", effort: "high", cwe: 829, weight: 0 },
    "security.content.style-unpinnable": { severity: "info", riskLevel: "low", effort: "high", cwe: 829, weight: 0 },
  },
  judge({ dom }) {
    // data: and blob: URLs contain their content.
    const crossSite = dom.subresources.filter(({ url, sameSite }) => !sameSite && /^https?:/i.test(url));
    const loose = crossSite.filter(({ integrity }) => integrity === null || integrity.trim() === "");
    const looseUrls = (wanted: string, pinnable: boolean) =>
      loose.filter(({ kind, url }) => kind === wanted && isPinnableUrl(url) === pinnable).map(({ url }) => url);
    const found = [
      ...foundAtAddresses("security.content.script-without-integrity", looseUrls("script", true)),
      ...foundAtAddresses("security.content.style-without-integrity", looseUrls("style", true)),
      ...foundAtAddresses("security.content.script-unpinnable", looseUrls("script", false)),
      ...foundAtAddresses("security.content.style-unpinnable", looseUrls("style", false)),
    ];
    const complete = dom.subresourcesDropped === 0;
    const isCovered = crossSite.some(({ kind }) => kind === "script" || kind === "style");
    return complete && !isCovered ? notApplicable() : violatedBy(found, complete);
  },
});
