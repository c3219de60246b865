/** Checks that response headers disclose no software versions. */
import { type Found, registerCheck, violatedBy } from "assay/check";
import { parseProducts } from "assay/check/parsers";

/** Headers whose only purpose is disclosure. */
const disclosingHeaders = [
  ["x-powered-by", "security.disclosure.x-powered-by"],
  ["x-aspnet-version", "security.disclosure.x-aspnet-version"],
  ["x-aspnetmvc-version", "security.disclosure.x-aspnetmvc-version"],
  ["x-generator", "security.disclosure.x-generator"],
  ["x-runtime", "security.disclosure.x-runtime"],
  ["x-version", "security.disclosure.x-version"],
] as const;

type Code = "security.disclosure.server" | "security.disclosure.via" | (typeof disclosingHeaders)[number][1];

const definition = { severity: "low", riskLevel: "low", effort: "low" } as const;

export default registerCheck({
  key: "information-disclosure",
  weight: 2,
  area: "disclosure",
  standards: ["RFC 9110 section 10.2.4", "RFC 9110 section 7.6.3"],
  reads: ["page"],
  headers: ["server", "via", "x-powered-by", "x-aspnet-version", "x-aspnetmvc-version", "x-generator", "x-runtime", "x-version"],
  findings: {
    "security.disclosure.server": definition,
    "security.disclosure.via": definition,
    "security.disclosure.x-powered-by": definition,
    "security.disclosure.x-aspnet-version": definition,
    "security.disclosure.x-aspnetmvc-version": definition,
    "security.disclosure.x-generator": definition,
    "security.disclosure.x-runtime": definition,
    "security.disclosure.x-version": definition,
  },
  judge({ headers }) {
    return violatedBy([
      ...foundIn("security.disclosure.server", headers.server.filter(isDisclosingServer)),
      ...foundIn("security.disclosure.via", headers.via.filter(isDisclosingVia)),
      ...disclosingHeaders.flatMap(([name, code]) =>
        foundIn(
          code,
          headers[name].filter((value) => value.trim() !== ""),
        ),
      ),
    ]);
  },
});

function foundIn(code: Code, values: readonly string[]): readonly Found<Code>[] {
  return values.length === 0 ? [] : [{ code, values: { value: values.join(", ") } }];
}

/** Matches `nginx/1.18`, `openresty-1.21.4` and `6.0.4`, but not the digit in AmazonS3. */
const version = /\/v?\d|\d\.\d/i;
const moduleName = /^(?:mod_|php$|openssl$|python$|perl$|phusion_passenger$)/i;
const operatingSystems =
  /unix|linux|ubuntu|debian|raspbian|centos|red ?hat|rhel|fedora|rocky|suse|amazon|alpine|gentoo|bsd|solaris|darwin|mac ?os|win(?:dows|32|64)/i;

/** RFC 9110 section 10.2.4: products with optional versions, and comments. A product name alone is acceptable. */
function isDisclosingServer(value: string): boolean {
  const { words, comments } = parseProducts(value);
  return (
    words.some((word) => version.test(word) || moduleName.test(word)) ||
    comments.some((text) => operatingSystems.test(text) || /\d\.\d/.test(text))
  );
}

/** RFC 9110 section 7.6.3: each hop is a protocol version, a host and an optional comment. Only host and comment can disclose versions. */
function isDisclosingVia(value: string): boolean {
  const { words, comments } = parseProducts(value);
  const hosts = words.filter((word) => !/^http/i.test(word));
  return hosts.some((word) => /\/v?\d/i.test(word)) || comments.some((text) => version.test(text));
}
