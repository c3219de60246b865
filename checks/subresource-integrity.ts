/** Checks that scripts and style sheets from other sites have an integrity attribute. */
import { foundAtAddresses, notApplicable, type OtherSiteFile, registerCheck, type Subresource, violatedBy } from "assay/check";
import { isPinnableUrl, withoutFragment } from "assay/check/parsers";

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
    const { otherSites = null, otherSitesDropped = 0 } = dom;
    // No browser asks for the file of some elements, such as scripts of unknown types. data: and blob: URLs contain their content.
    const requested = otherSites === null || otherSitesDropped > 0 ? null : new Set(otherSites.map(({ url }) => url));
    const isRequested = ({ url }: Subresource) => requested === null || requested.has(withoutFragment(url));
    const answeredBy = new Map((otherSites ?? []).flatMap(({ url, answeredBy: other }) => (other === undefined ? [] : [[url, other]])));
    const isOfOtherSite = ({ url, sameSite }: Subresource) => !sameSite || answeredBy.has(withoutFragment(url));
    const elements = dom.subresources
      .filter(({ url, kind }) => /^https?:/i.test(url) && (kind === "script" || kind === "style"))
      .filter((element) => isOfOtherSite(element) && isRequested(element));
    const named = new Set(elements.map(({ url }) => withoutFragment(url)));
    const others = (otherSites ?? []).filter(({ url, preloaded }) => !preloaded && !named.has(url));
    const judged = others.filter(isJudgeable);
    const importIntegrity = new Map(dom.importIntegrity?.map(({ url, integrity }) => [url, integrity]));
    const files = [
      ...elements,
      // A style sheet without an element comes from @import, which takes no integrity.
      ...judged.map(({ url, kind }) => ({ url, kind, integrity: importIntegrity.get(url) ?? null })),
    ].map(({ url, kind, integrity }) => {
      const address = answeredBy.get(withoutFragment(url)) ?? url;
      return {
        url: address,
        kind,
        integrity,
        isPinnable: isPinnableUrl(address) && (kind === "script" || named.has(withoutFragment(url))),
      };
    });
    const loose = files.filter(({ integrity }) => integrity === null || integrity.trim() === "");
    const looseUrls = (wanted: string, pinnable: boolean) =>
      loose.filter(({ kind, isPinnable }) => kind === wanted && isPinnable === pinnable).map(({ url }) => url);
    const found = [
      ...foundAtAddresses("security.content.script-without-integrity", looseUrls("script", true)),
      ...foundAtAddresses("security.content.style-without-integrity", looseUrls("style", true)),
      ...foundAtAddresses("security.content.script-unpinnable", looseUrls("script", false)),
      ...foundAtAddresses("security.content.style-unpinnable", looseUrls("style", false)),
    ];
    const complete = dom.subresourcesDropped === 0 && otherSitesDropped === 0 && judged.length === others.length;
    return complete && files.length === 0 ? notApplicable() : violatedBy(found, complete);
  },
});

/** Files of frames, whose documents are not read, may have an attribute. So may a script whose element is gone, if it was requested with CORS. */
function isJudgeable({ kind, inFrame, unguarded }: OtherSiteFile): boolean {
  return !inFrame && (kind === "style" || unguarded);
}
