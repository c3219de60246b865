/** First check of a webhook's URL, before it is stored: refuses a literal address that deliveries would never reach. */
import { createAddressPolicy, localAddresses } from "../egress/address-policy.ts";
import { parseHost, portOf } from "../egress/host.ts";
import { type WebhookSenderSettings, webhookGuard } from "./send-webhook.ts";

/** Completes "target ..."; null for a name, whose addresses each delivery checks, and for a permitted address. */
export function webhookTargetFault(
  settings: Pick<WebhookSenderSettings, "allowCidrs" | "dnsServers" | "connectTo" | "ownEndpoints">,
  text: string,
): string | null {
  const url = new URL(text);
  const host = parseHost(url.hostname);
  if (host === null || host.kind === "name") return null;
  const guard = webhookGuard(settings);
  // The operator mapped this host and port.
  if (guard.connectTo.some((to) => to.port === portOf(url) && parseHost(to.host)?.text === host.text)) return null;
  const policy = createAddressPolicy(guard, localAddresses());
  for (const decision of [policy.authorizeAddress(host.text), policy.authorizeEndpoint(host.text, portOf(url))])
    if (!decision.allowed) return `must not lead to this address: ${decision.because}`;
  return null;
}
