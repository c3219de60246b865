/** What a visitor typed into the field: the address that was meant, weighed for what should not become public. */
import { withoutSecrets } from "../../evidence/redact.ts";
import { parseScanUrl, type ScanUrlFault } from "../../parse/scan-url.ts";
import { addressMeant } from "../typed-address.ts";

export type TypedUrl =
  | { readonly kind: "fault"; readonly fault: ScanUrlFault | "empty" | "mail-address" }
  | { readonly kind: "plain"; readonly url: string }
  /** A finished scan shows its address to everybody, and this one holds what somebody would not show. */
  | {
      readonly kind: "telling";
      /** Without whatever looks like a secret. */
      readonly stripped: string;
      /** As it was typed but for user and password, which no scan takes; null when nothing else was left out. */
      readonly kept: string | null;
      readonly credentials: boolean;
    };

/** In a URL it would be a user and a host; whoever types it into a field for addresses means neither. */
const mailAddress = /^(?:mailto:)?[^\s/:@?#]+@[^\s/:@?#]+$/i;

/** `example.com` is `https://example.com/`. The addresses that come out are as `parseScanUrl` stores them. */
export function readTypedUrl(typed: string): TypedUrl {
  const text = typed.trim();
  if (text === "") return { kind: "fault", fault: "empty" };
  if (mailAddress.test(text)) return { kind: "fault", fault: "mail-address" };
  const address = addressMeant(text);
  const credentials = isRefusedForCredentials(address);
  const parsed = parseScanUrl(credentials ? withoutCredentials(address) : address);
  if ("fault" in parsed) return { kind: "fault", fault: parsed.code };
  const stripped = withoutSecretParameters(parsed.url);
  if (stripped === parsed.url && !credentials) return { kind: "plain", url: parsed.url };
  return { kind: "telling", stripped, kept: stripped === parsed.url ? null : parsed.url, credentials };
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

/** Parameters of query and path that are named like secrets are left out whole; where that does not help, so is all behind the host. */
function withoutSecretParameters(address: string): string {
  if (!looksSecret(address)) return address;
  const url = new URL(address);
  url.pathname = url.pathname.replace(/[;&][^/;&]*/g, (parameter) => (looksSecret(parameter) ? "" : parameter));
  url.search = url.search
    .slice(1)
    .split("&")
    .filter((parameter) => !looksSecret(`?${parameter}`))
    .join("&");
  return looksSecret(url.href) ? `${url.origin}/` : url.href;
}

function looksSecret(text: string): boolean {
  return withoutSecrets(text) !== text;
}
