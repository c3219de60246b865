/** Does the document say in which encoding it is written? A byte order mark would say so too, but is not in the evidence. */
import { type DomFacts, notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
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
    "security.content.charset-missing": { severity: "info", riskLevel: "low", effort: "low" },
    "security.content.charset-unknown": { severity: "info", riskLevel: "low", effort: "low" },
  },
  judge({ page, dom, headers }) {
    // XML names its encoding itself, and is UTF-8 otherwise.
    if (page.mediaType === "application/xhtml+xml") return notApplicable();
    const named = [...headers["content-type"].map(charsetOfMediaType), ...(dom.status === "read" ? metaCharsets(dom.facts) : [])];
    const charsets = named.filter((charset) => charset !== null);
    // A browser passes over a name that it does not know, and looks on.
    if (charsets.some(isEncodingLabel)) return passed();
    if (dom.status === "failed" || dom.facts.metasDropped > 0) return notChecked();
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
