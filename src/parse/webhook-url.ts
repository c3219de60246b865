/** Validates the URL of a webhook's receiver and returns its stored form. */
import { parseScanUrl } from "./scan-url.ts";

/** Limit in characters, for the submitted and for the stored form. */
export const webhookUrlCharsMax = 2_000;

/** ASCII form of an absolute https URL, or of an http URL if allowed. Null for others, and for credentials, fragments and port 0. */
export function parseWebhookUrl(text: string, { allowHttp }: { readonly allowHttp: boolean }): string | null {
  if (text.length > webhookUrlCharsMax || text.includes("#")) return null;
  const parsed = parseScanUrl(text);
  if (!("url" in parsed) || parsed.url.length > webhookUrlCharsMax) return null;
  const { protocol, port } = new URL(parsed.url);
  return port !== "0" && (protocol === "https:" || allowHttp) ? parsed.url : null;
}
