/** Checks that scripts and style sheets from other sites have an integrity attribute. */
import { foundAtAddresses, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";

export default registerCheck({
  key: "subresource-integrity",
  weight: 2,
  area: "content",
  standards: ["W3C Subresource Integrity"],
  reads: ["dom"],
  findings: {
    "security.content.script-without-integrity": { severity: "medium", riskLevel: "medium", effort: "medium" },
    "security.content.style-without-integrity": { severity: "medium", riskLevel: "low", effort: "medium" },
  },
  judge({ dom }) {
    // data: and blob: URLs contain their content.
    const crossSite = dom.subresources.filter(({ url, sameSite }) => !sameSite && /^https?:/i.test(url));
    const loose = crossSite.filter(({ integrity }) => integrity === null || integrity.trim() === "");
    const looseUrls = (wanted: string) => loose.filter(({ kind }) => kind === wanted).map(({ url }) => url);
    const found = [
      ...foundAtAddresses("security.content.script-without-integrity", looseUrls("script")),
      ...foundAtAddresses("security.content.style-without-integrity", looseUrls("style")),
    ];
    if (found.length === 0 && dom.subresourcesDropped > 0) return notChecked();
    return crossSite.some(({ kind }) => kind === "script" || kind === "style") ? violatedBy(found) : notApplicable();
  },
});
