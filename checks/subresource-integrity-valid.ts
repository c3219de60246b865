/** Checks that integrity attributes are effective and match their files. */
import { foundAtAddresses, notApplicable, registerCheck, type Subresource, violatedBy } from "assay/check";
import { hasSignatureKey, integrityCharsMax, parseIntegrity, strongestHashes } from "assay/check/parsers";

type Fault = "ineffective" | "malformed" | "without-crossorigin";

export default registerCheck({
  key: "subresource-integrity-valid",
  weight: 2,
  area: "content",
  standards: ["W3C Subresource Integrity", "Fetch: Main fetch"],
  reads: ["dom"],
  consults: ["requests"],
  findings: {
    "security.content.integrity-ineffective": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 353 },
    "security.content.integrity-malformed": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 353 },
    "security.content.integrity-without-crossorigin": { severity: "low", riskLevel: "low", effort: "low", cwe: 353 },
    "security.content.integrity-mismatch": { severity: "medium", riskLevel: "medium", effort: "low" },
    // Chromium refuses a file without a valid signature, other browsers skip the key.
    "security.content.integrity-signature-only": { severity: "info", riskLevel: "low", effort: "low", cwe: 353, weight: 0 },
  },
  judge({ dom, requests }) {
    const withIntegrity = dom.subresources.filter(hasIntegrity);
    const faults = withIntegrity.map((resource) => ({ url: resource.url, fault: faultOf(resource) })).filter(({ fault }) => fault !== null);
    const urlsWith = (wanted: Fault) => faults.filter(({ fault }) => fault === wanted).map(({ url }) => url);
    const blocked = requests.status === "read" ? requests.facts.integrityBlocked : [];
    // Browsers also block files because of a faulty attribute; each cause is reported once.
    const mismatched = blocked.filter((blockedUrl) => !faults.some(({ url }) => url === blockedUrl));
    const found = [
      ...foundAtAddresses("security.content.integrity-ineffective", urlsWith("ineffective")),
      ...foundAtAddresses("security.content.integrity-malformed", urlsWith("malformed")),
      ...foundAtAddresses("security.content.integrity-without-crossorigin", urlsWith("without-crossorigin")),
      ...foundAtAddresses("security.content.integrity-mismatch", mismatched),
      ...foundAtAddresses(
        "security.content.integrity-signature-only",
        withIntegrity.filter(isSignedOnly).map(({ url }) => url),
      ),
    ];
    const complete = dom.subresourcesDropped === 0 && !withIntegrity.some(isCut);
    if (found.length === 0 && complete && withIntegrity.length === 0) return notApplicable();
    return violatedBy(found, complete && requests.status === "read");
  },
});

/** The attribute has no effect on other elements, and on resources that are not fetched. */
function hasIntegrity({ url, kind, integrity }: Subresource): boolean {
  return kind !== "other" && /^https?:/i.test(url) && (integrity ?? "").trim() !== "";
}

/** First fault of the attribute; null for a valid or cut attribute. */
function faultOf(resource: Subresource): Fault | null {
  if (isCut(resource)) return null;
  const integrity = parseIntegrity(resource.integrity ?? "");
  // Without a known algorithm browsers do not verify the file.
  if (integrity.hashes.length === 0 && !hasSignatureKey(integrity)) return "ineffective";
  if (integrity.hashes.length > 0 && !strongestHashes(integrity).some((hash) => hash.wellFormed)) return "malformed";
  // Fetch standard, "main fetch": the body of a no-CORS cross-origin response is opaque, so it never matches.
  return resource.crossOrigin === null && !resource.sameOrigin ? "without-crossorigin" : null;
}

function isSignedOnly(resource: Subresource): boolean {
  const integrity = parseIntegrity(resource.integrity ?? "");
  return integrity.hashes.length === 0 && hasSignatureKey(integrity) && !isCut(resource);
}

/** An attribute at the limit was most likely longer. */
function isCut({ integrity }: Subresource): boolean {
  return (integrity ?? "").length >= integrityCharsMax;
}
