/** Do the response headers tell which software, and which version of it, is at work? */
import { type Found, registerCheck, violatedBy } from "assay/check";
import { parseProducts } from "assay/check/parsers";

/** Headers that exist for nothing but to tell. */
const tellingHeaders = [
  ["x-powered-by", "security.disclosure.x-powered-by"],
  ["x-aspnet-version", "security.disclosure.x-aspnet-version"],
  ["x-aspnetmvc-version", "security.disclosure.x-aspnetmvc-version"],
  ["x-generator", "security.disclosure.x-generator"],
  ["x-runtime", "security.disclosure.x-runtime"],
  ["x-version", "security.disclosure.x-version"],
] as const;

type Code = "security.disclosure.server" | "security.disclosure.via" | (typeof tellingHeaders)[number][1];

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
      ...foundIn("security.disclosure.server", headers.server.filter(serverTells)),
      ...foundIn("security.disclosure.via", headers.via.filter(viaTells)),
      ...tellingHeaders.flatMap(([name, code]) =>
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

/** As in `nginx/1.18`, `openresty-1.21.4` and `6.0.4`; the digit of AmazonS3 is none. */
const version = /\/v?\d|\d\.\d/i;
const moduleName = /^(?:mod_|php$|openssl$|python$|perl$|phusion_passenger$)/i;
const operatingSystems =
  /unix|linux|ubuntu|debian|raspbian|centos|red ?hat|rhel|fedora|rocky|suse|amazon|alpine|gentoo|bsd|solaris|darwin|mac ?os|win(?:dows|32|64)/i;

/** RFC 9110 section 10.2.4: products with or without a version, and comments. The bare name of a product tells little. */
function serverTells(value: string): boolean {
  const { words, comments } = parseProducts(value);
  return (
    words.some((word) => version.test(word) || moduleName.test(word)) ||
    comments.some((text) => operatingSystems.test(text) || /\d\.\d/.test(text))
  );
}

/** RFC 9110 section 7.6.3: each hop is a protocol version, a host and perhaps a comment; versions of products stand in the latter two. */
function viaTells(value: string): boolean {
  const { words, comments } = parseProducts(value);
  const hosts = words.filter((word) => !/^http/i.test(word));
  return hosts.some((word) => /\/v?\d/i.test(word)) || comments.some((text) => version.test(text));
}
