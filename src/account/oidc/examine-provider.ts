/** Examines the identity provider for the doctor: its configuration document, its keys and its clock. */
import type { ConfiguredFetch } from "../../egress/configured-fetch.ts";
import { clockToleranceSeconds, discoverProvider, type ProviderSettings } from "./provider.ts";
import { ProviderError, toProviderError } from "./refusal.ts";

export interface OidcExamination {
  readonly isUsable: boolean;
  /** One line in English. */
  readonly detail: string;
}

/** Never rejects. */
export async function examineProvider(settings: ProviderSettings): Promise<OidcExamination> {
  const { issuer, redirectUri } = settings;
  let dateHeader: string | null = null;
  const observed: ConfiguredFetch = async (url, request) => {
    const response = await settings.fetch(url, request);
    dateHeader = response.headers.get("date");
    return response;
  };
  try {
    const { metadata } = await discoverProvider({ ...settings, fetch: observed });
    const keys = await keysAt(metadata.jwks_uri ?? "", observed);
    const skew = skewSeconds(dateHeader, Date.now());
    if (skew > clockToleranceSeconds)
      return {
        isUsable: false,
        detail: `the clocks of this machine and of ${issuer} differ by ${skew} seconds; synchronize both with NTP`,
      };
    return { isUsable: true, detail: `${issuer} answers; keys: ${keys}; it must know the redirect address ${redirectUri}` };
  } catch (error) {
    const { message } = toProviderError(error);
    return {
      isUsable: false,
      detail: `${issuer}: ${message}; sign-in by it is off; check oidc.issuer, oidc.ca_file and whether the provider runs`,
    };
  }
}

/** Number of keys that the issuer publishes. */
async function keysAt(url: string, ask: ConfiguredFetch): Promise<number> {
  const response = await ask(url, { headers: { accept: "application/json" } });
  const answer: unknown = response.ok ? await response.json().catch(() => null) : null;
  const keys = typeof answer === "object" && answer !== null && "keys" in answer ? answer.keys : null;
  if (!Array.isArray(keys) || keys.length === 0) throw new ProviderError("broken", "jwks_uri of the issuer gives no keys");
  return keys.length;
}

/** 0 for a header that is absent or no date. */
function skewSeconds(header: string | null, nowMs: number): number {
  const atMs = Date.parse(header ?? "");
  return Number.isNaN(atMs) ? 0 : Math.round(Math.abs(atMs - nowMs) / 1_000);
}
