/** Notes the hosts of other sites that run scripts in the page. */
import { foundAtAddresses, registerCheck, type ScriptFile, type Subresource, violatedBy } from "assay/check";
import { hasUsableHash, hostOf, withoutFragment } from "assay/check/parsers";

export default registerCheck({
  key: "third-party-scripts",
  weight: 0,
  area: "content",
  standards: ["W3C Subresource Integrity"],
  appliesTo: ["html"],
  reads: ["scripts", "dom"],
  findings: {
    "security.content.third-party-scripts": { severity: "info", riskLevel: "low", effort: "high", cwe: 829 },
    "security.content.third-party-scripts-pinned": { severity: "info", riskLevel: "low", effort: "high", cwe: 829 },
  },
  judge({ scripts, dom }) {
    // The import map says nothing of classic scripts.
    const classic = dom.subresources.filter(({ kind, integrity }) => kind === "script" && integrity === null).map(({ url }) => url);
    const imported = (dom.importIntegrity ?? []).filter(({ url, integrity }) => hasUsableHash(integrity) && !classic.includes(url));
    const pinnedUrls = new Set([...dom.subresources.filter(isPinned), ...imported].map(({ url }) => withoutFragment(url)));
    const ofOthers = scripts.files.filter(({ sameSite }) => !sameSite);
    const loose = hostsOf(ofOthers.filter(({ url, inWorker = false }) => inWorker || !pinnedUrls.has(url)));
    const pinned = hostsOf(ofOthers).filter((host) => !loose.includes(host));
    const found = [
      ...foundAtAddresses("security.content.third-party-scripts", loose),
      ...foundAtAddresses("security.content.third-party-scripts-pinned", pinned),
    ];
    return violatedBy(found, scripts.filesDropped === 0);
  },
});

/** True for a script whose content the page fixes by a usable hash. */
function isPinned({ kind, integrity }: Subresource): boolean {
  return kind === "script" && hasUsableHash(integrity);
}

function hostsOf(files: readonly ScriptFile[]): readonly string[] {
  return files.flatMap(({ url, answeredBy }) => hostOf(answeredBy ?? url) ?? []);
}
