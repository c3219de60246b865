/** Tells of a URL, before anything is resolved, whether it is certain to be refused: its port, or the address it names. */
import { createAddressPolicy } from "./address-policy.ts";
import { parseHost, portOf } from "./host.ts";
import { localAddresses } from "./local-addresses.ts";
import type { EgressSettings } from "./settings.ts";

/**
 * Whether a scan of that absolute http or https URL may get through, as far as can be told without DNS. The scan itself is judged anew,
 * address by address.
 * @throws Error when a range of the settings is none; the configuration is checked before.
 */
export function createTargetPrecheck(settings: EgressSettings): (url: string) => boolean {
  // Ports that the appliance opens for a scan are known to that scan.
  const policy = createAddressPolicy(settings, localAddresses(), () => false);

  return (address) => {
    const url = new URL(address);
    const host = parseHost(url.hostname);
    const port = portOf(url);
    if (host === null) return true;
    // Named by the operator.
    if (settings.connectTo.some((to) => to.port === port && parseHost(to.host)?.text === host.text)) return true;
    if (!policy.judgePort(port).allowed) return false;
    return host.kind === "name" || (policy.judgeAddress(host.text).allowed && policy.judgeEndpoint(host.text, port).allowed);
  };
}
