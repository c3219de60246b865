/** Checks that the document declares its encoding, by a name or by a byte order mark. */
import { type DomFacts, declareCharset, notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
import { charsetOfMediaType, charsetOfMetaContent, isEncodingLabel } from "assay/check/parsers";

export default registerCheck({
  key: "content-type-charset",
  weight: 1,
  area: "content",
  standards: ["HTML: Determining the character encoding", "Encoding Standard: Names and labels"],
  appliesTo: ["html"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-type"],
  findings: {
    "security.content.charset-missing": { severity: "info", riskLevel: "low", effort: "low", cwe: 838 },
    "security.content.charset-unknown": { severity: "info", riskLevel: "low", effort: "low", cwe: 838 },
  },
  fixes: {
    "security.content.charset-missing": [declareCharset],
  },
  judge({ page, dom, headers }) {
    // XML declares its encoding in the document; the default is UTF-8.
    if (page.mediaType === "application/xhtml+xml") return notApplicable();
    const declared = [...headers["content-type"].map(charsetOfMediaType), ...(dom.status === "read" ? metaCharsets(dom.facts) : [])];
    const charsets = declared.filter((charset) => charset !== null);
    // Browsers skip unknown labels and continue with the next declaration.
    if (charsets.some(isEncodingLabel)) return passed();
    if (dom.status === "failed" || dom.facts.metasDropped > 0) return notChecked();
    // Without a name, Chromium uses these encodings only for a document with a byte order mark. The mark outranks all names (HTML standard,
    // "determining the character encoding").
    if (/^UTF-(?:8|16LE|16BE)$/.test(dom.facts.characterSet ?? "")) return passed();
    const [charset] = charsets;
    return charset === undefined
      ? violated("security.content.charset-missing", { contentType: headers["content-type"].join(", ") })
      : violated("security.content.charset-unknown", { charset });
  },
});

function metaCharsets({ metas }: DomFacts): readonly (string | null)[] {
  return metas.flatMap(({ name, httpEquiv, content }) => {
    if (name === "charset") return [content.trim()];
    return httpEquiv === "content-type" ? [charsetOfMetaContent(content)] : [];
  });
}
