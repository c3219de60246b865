/** First SSRF check of a URL, before any DNS query: refuses a blocked port or a blocked literal address. */
import { createAddressPolicy, localAddresses } from "./address-policy.ts";
import { parseHost, portOf } from "./host.ts";
import type { EgressSettings } from "./settings.ts";

/** False for a URL that a scan would certainly refuse; the scan authorizes every address again. @throws Error for an invalid range. */
export function createTargetPrecheck(settings: EgressSettings): (url: string) => boolean {
  // Ports that the appliance opens for a scan are known to that scan only.
  const policy = createAddressPolicy(settings, localAddresses(), () => false);

  return (text) => {
    const url = new URL(text);
    const host = parseHost(url.hostname);
    const port = portOf(url);
    if (host === null) return true;
    // The operator mapped this host and port.
    if (settings.connectTo.some((to) => to.port === port && parseHost(to.host)?.text === host.text)) return true;
    if (!policy.authorizePort(port).allowed) return false;
    return host.kind === "name" || (policy.authorizeAddress(host.text).allowed && policy.authorizeEndpoint(host.text, port).allowed);
  };
}
