/** Do the integrity attributes that the page has protect, and let the right file through? */
import { foundAtAddresses, notApplicable, notChecked, passed, registerCheck, type Subresource, violatedBy } from "assay/check";
import { integrityCharsMax, parseIntegrity, strongestHashes } from "assay/check/parsers";

type Fault = "ineffective" | "malformed" | "without-crossorigin";

export default registerCheck({
  key: "subresource-integrity-valid",
  weight: 2,
  area: "content",
  standards: ["W3C Subresource Integrity", "Fetch: Main fetch"],
  reads: ["dom"],
  consults: ["requests"],
  findings: {
    "security.content.integrity-ineffective": { severity: "medium", riskLevel: "medium", effort: "low" },
    "security.content.integrity-malformed": { severity: "medium", riskLevel: "medium", effort: "low" },
    "security.content.integrity-without-crossorigin": { severity: "low", riskLevel: "low", effort: "low" },
    "security.content.integrity-mismatch": { severity: "medium", riskLevel: "medium", effort: "low" },
  },
  judge({ dom, requests }) {
    const guarded = dom.subresources.filter(isGuarded);
    const faults = guarded.map((resource) => ({ url: resource.url, fault: faultOf(resource) })).filter(({ fault }) => fault !== null);
    const urlsWith = (wanted: Fault) => faults.filter(({ fault }) => fault === wanted).map(({ url }) => url);
    const blocked = requests.status === "read" ? requests.facts.integrityBlocked : [];
    const found = [
      ...foundAtAddresses("security.content.integrity-ineffective", urlsWith("ineffective")),
      ...foundAtAddresses("security.content.integrity-malformed", urlsWith("malformed")),
      ...foundAtAddresses("security.content.integrity-without-crossorigin", urlsWith("without-crossorigin")),
      // A fault of the attribute has the file refused as well; one cause is told once.
      ...foundAtAddresses(
        "security.content.integrity-mismatch",
        blocked.filter((blockedUrl) => !faults.some(({ url }) => url === blockedUrl)),
      ),
    ];
    if (found.length > 0) return violatedBy(found);
    if (dom.subresourcesDropped > 0 || guarded.some(isCut)) return notChecked();
    if (guarded.length === 0) return notApplicable();
    return requests.status === "read" ? passed() : notChecked();
  },
});

/** On other elements, and on what was not fetched, the attribute has no meaning. */
function isGuarded({ url, kind, integrity }: Subresource): boolean {
  return kind !== "other" && /^https?:/i.test(url) && (integrity ?? "").trim() !== "";
}

/** The first thing that keeps the attribute from doing its work; null when there is none, or the attribute was cut. */
function faultOf(resource: Subresource): Fault | null {
  if (isCut(resource)) return null;
  const integrity = parseIntegrity(resource.integrity ?? "");
  // Nothing that a browser knows means that it does not check at all.
  if (integrity.hashes.length === 0) return "ineffective";
  if (!strongestHashes(integrity).some((hash) => hash.wellFormed)) return "malformed";
  // Fetch standard, main fetch: a foreign file that was fetched without CORS must not be looked into, and so never matches.
  return resource.crossOrigin === null && !resource.sameOrigin ? "without-crossorigin" : null;
}

/** An attribute that fills the limit was most likely longer. */
function isCut({ integrity }: Subresource): boolean {
  return (integrity ?? "").length >= integrityCharsMax;
}
