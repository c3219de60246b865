/** Notes the hosts of other sites that run scripts in the page. */
import { foundAtAddresses, type OtherSiteFile, registerCheck, type ScriptFile, type Subresource, violatedBy } from "assay/check";
import { hasSignatureKey, hasUsableHash, hostOf, parseIntegrity, withoutFragment } from "assay/check/parsers";

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
    const { named, unnamed } = scriptsWithoutAnswer(dom.otherSites ?? [], scripts.files, [
      ...dom.subresources.filter(({ kind }) => kind === "script"),
      ...imported,
    ]);
    const loose = hostsOf([...ofOthers.filter(({ url, inWorker = false }) => inWorker || !pinnedUrls.has(url)), ...named]);
    const pinned = hostsOf(ofOthers).filter((host) => !loose.includes(host));
    const found = [
      ...foundAtAddresses("security.content.third-party-scripts", loose),
      ...foundAtAddresses("security.content.third-party-scripts-pinned", pinned),
    ];
    return violatedBy(found, scripts.filesDropped === 0 && unnamed.length === 0);
  },
});

/** Scripts that the browser asked other sites for and did not get, with and without an element. The next visitor may get them. */
function scriptsWithoutAnswer(
  asked: readonly OtherSiteFile[],
  files: readonly ScriptFile[],
  elements: readonly Pick<Subresource, "url" | "integrity">[],
) {
  const answered = new Set(files.map(({ url }) => url));
  const urlsOf = (bound: boolean) =>
    new Set(elements.filter(({ integrity }) => isDemand(integrity ?? "") === bound).map(({ url }) => withoutFragment(url)));
  // Browsers drop a file of other content than the page demands, so that no answer of the host runs.
  const [bound, free] = [urlsOf(true), urlsOf(false)];
  const missing = asked
    .filter(({ url, kind, preloaded }) => kind === "script" && !preloaded && !answered.has(url) && (free.has(url) || !bound.has(url)))
    .map(({ url, answeredBy = null, inFrame }) => ({ url, answeredBy, isNamed: !inFrame && free.has(url) }));
  return { named: missing.filter(({ isNamed }) => isNamed), unnamed: missing.filter(({ isNamed }) => !isNamed) };
}

function isDemand(attribute: string): boolean {
  const integrity = parseIntegrity(attribute);
  return integrity.hashes.length > 0 || hasSignatureKey(integrity);
}

/** True for a script whose content the page fixes by a usable hash. */
function isPinned({ kind, integrity }: Subresource): boolean {
  return kind === "script" && hasUsableHash(integrity);
}

function hostsOf(files: readonly Pick<ScriptFile, "url" | "answeredBy">[]): readonly string[] {
  return files.flatMap(({ url, answeredBy }) => hostOf(answeredBy ?? url) ?? []);
}
