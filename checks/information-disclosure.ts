/** Checks that headers and document disclose neither software versions nor the files of a folder. */
import {
  type FindingCode,
  type Found,
  findingIf,
  hideServerVersion,
  type MarkupFacts,
  noDirectoryListing,
  registerCheck,
  removeHeader,
  violatedBy,
} from "assay/check";
import { directoryListingOf, isHtml, namesVersion, parseProducts, productVersionFields } from "assay/check/parsers";

/** Headers whose only purpose is disclosure. */
const disclosingHeaders = ["x-powered-by", "x-aspnet-version", "x-aspnetmvc-version", "x-generator", "x-runtime", "x-version"] as const;

const definition = { severity: "low", riskLevel: "low", effort: "low", cwe: 497 } as const;

export default registerCheck({
  key: "information-disclosure",
  weight: 2,
  area: "disclosure",
  standards: ["RFC 9110 section 10.2.4", "RFC 9110 section 7.6.3"],
  reads: ["page"],
  consults: ["markup"],
  headers: ["server", "via", ...disclosingHeaders],
  findings: {
    "security.disclosure.server": definition,
    "security.disclosure.via": definition,
    "security.disclosure.x-powered-by": definition,
    "security.disclosure.x-aspnet-version": definition,
    "security.disclosure.x-aspnetmvc-version": definition,
    "security.disclosure.x-generator": definition,
    "security.disclosure.x-runtime": definition,
    "security.disclosure.x-version": definition,
    "security.disclosure.product-version": definition,
    "security.disclosure.meta-generator": definition,
    "security.disclosure.directory-listing": { ...definition, cwe: 548 },
  },
  fixes: {
    "security.disclosure.server": [hideServerVersion],
    "security.disclosure.via": [removeHeader("Via")],
    "security.disclosure.x-powered-by": [removeHeader("X-Powered-By")],
    "security.disclosure.x-aspnet-version": [removeHeader("X-AspNet-Version")],
    "security.disclosure.x-aspnetmvc-version": [removeHeader("X-AspNetMvc-Version")],
    "security.disclosure.x-generator": [removeHeader("X-Generator")],
    "security.disclosure.x-runtime": [removeHeader("X-Runtime")],
    "security.disclosure.x-version": [removeHeader("X-Version")],
    "security.disclosure.product-version": [removeHeader("X-Jenkins")],
    "security.disclosure.directory-listing": [noDirectoryListing],
  },
  judge({ page, markup, headers }) {
    const isDocument = isHtml(page.mediaType);
    const found = [
      ...foundIn("security.disclosure.server", headers.server.filter(isDisclosingServer)),
      ...foundIn("security.disclosure.via", headers.via.filter(isDisclosingVia)),
      ...disclosingHeaders.flatMap((name) => foundIn(`security.disclosure.${name}`, headers[name].filter(isNotBlank))),
      ...foundIn("security.disclosure.product-version", productVersionFields(page.headers)),
      ...(isDocument && markup.status === "read" ? foundInDocument(markup.facts) : []),
    ];
    const unread = isDocument && (markup.status === "failed" || markup.facts.generatorsDropped > 0);
    return violatedBy(found, !unread);
  },
});

function foundIn<Code extends FindingCode>(code: Code, values: readonly string[]): readonly Found<Code>[] {
  return findingIf(values.length > 0, code, { value: values.join(", ") });
}

function foundInDocument({ generators, outline }: MarkupFacts) {
  const server = directoryListingOf(outline);
  return [
    ...foundIn("security.disclosure.meta-generator", generators.filter(namesVersion)),
    ...findingIf(server !== null, "security.disclosure.directory-listing", { server: server ?? "", title: outline.title }),
  ];
}

function isNotBlank(value: string): boolean {
  return value.trim() !== "";
}

const moduleName = /^(?:mod_|php$|openssl$|python$|perl$|phusion_passenger$)/i;
const operatingSystems =
  /unix|linux|ubuntu|debian|raspbian|centos|red ?hat|rhel|fedora|rocky|suse|amazon|alpine|gentoo|bsd|solaris|darwin|mac ?os|win(?:dows|32|64)/i;

/** RFC 9110 section 10.2.4: products with optional versions, and comments. A product name alone is acceptable. */
function isDisclosingServer(value: string): boolean {
  const { words, comments } = parseProducts(value);
  return (
    words.some((word) => namesVersion(word) || moduleName.test(word)) ||
    comments.some((text) => operatingSystems.test(text) || /\d\.\d/.test(text))
  );
}

/** RFC 9110 section 7.6.3: each hop is a protocol version, a host and an optional comment. Only host and comment can disclose versions. */
function isDisclosingVia(value: string): boolean {
  const { words, comments } = parseProducts(value);
  const hosts = words.filter((word) => !/^http/i.test(word));
  return hosts.some((word) => /\/v?\d/i.test(word)) || comments.some(namesVersion);
}
