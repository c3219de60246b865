/** Interprets a typed URL and detects parts that should not become public. */
import { withoutSecrets } from "../../evidence/redact.ts";
import { parseScanUrl, type ScanUrlFault } from "../../parse/scan-url.ts";

export type TypedUrl =
  | { readonly kind: "fault"; readonly fault: ScanUrlFault | "empty" | "mail-address" }
  | { readonly kind: "plain"; readonly url: string }
  /** The URL of a finished scan is public, and this one may contain secrets. */
  | {
      readonly kind: "sensitive";
      /** Without secret-looking parts. */
      readonly stripped: string;
      /** As typed, but without user and password; null if nothing else was removed. */
      readonly unstripped: string | null;
      readonly credentials: boolean;
    };

/** A URL parser would read a mail address as user and host. */
const mailAddress = /^(?:mailto:)?[^\s/:@?#]+@[^\s/:@?#]+$/i;

/** `example.com` becomes `https://example.com/`. Returns URLs in the normal form of `parseScanUrl`. */
export function readTypedUrl(typed: string): TypedUrl {
  const text = typed.trim();
  if (text === "") return { kind: "fault", fault: "empty" };
  if (mailAddress.test(text)) return { kind: "fault", fault: "mail-address" };
  const address = completeUrl(text);
  const credentials = isRefusedForCredentials(address);
  const parsed = parseScanUrl(credentials ? withoutCredentials(address) : address);
  if ("fault" in parsed) return { kind: "fault", fault: parsed.code };
  const stripped = withoutSecretParameters(parsed.url);
  if (stripped === parsed.url && !credentials) return { kind: "plain", url: parsed.url };
  return { kind: "sensitive", stripped, unstripped: stripped === parsed.url ? null : parsed.url, credentials };
}

function isRefusedForCredentials(address: string): boolean {
  const parsed = parseScanUrl(address);
  return "code" in parsed && parsed.code === "credentials";
}

function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return url.href;
}

/** Removes parameters with secret-looking names; if secrets remain, everything after the host. */
function withoutSecretParameters(address: string): string {
  if (!containsSecret(address)) return address;
  const url = new URL(address);
  url.pathname = url.pathname.replace(/[;&][^/;&]*/g, (parameter) => (containsSecret(parameter) ? "" : parameter));
  url.search = url.search
    .slice(1)
    .split("&")
    .filter((parameter) => !containsSecret(`?${parameter}`))
    .join("&");
  return containsSecret(url.href) ? `${url.origin}/` : url.href;
}

function containsSecret(text: string): boolean {
  return withoutSecrets(text) !== text;
}

/** Already has a scheme, so it is left unchanged. */
const withScheme = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i;
/** Bare IPv6 address, which a URL parser would read as host and port. */
const bareIpv6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** `example.com` and `//example.com` become `https://example.com`, `::1` becomes `https://[::1]`. Does not validate. */
export function completeUrl(typed: string): string {
  const text = typed.trim();
  if (withScheme.test(text)) return text;
  return `https://${isBareIpv6(text) ? `[${text}]` : text.replace(/^\/\//, "")}`;
}

export function isBareIpv6(text: string): boolean {
  return bareIpv6.test(text);
}
