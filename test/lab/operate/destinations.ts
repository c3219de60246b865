/** Where an installation may connect to: what a trace of its sockets shows besides the places that its work needs. */
import type { SocketTrace } from "../../support/socket-trace.ts";

/**
 * Chromium connects UDP sockets to these addresses, and sends nothing: the kernel then names the address that a route would begin at. It does so
 * at its start, to learn whether there is IPv6, and for pages with WebRTC. No flag of Chromium prevents it.
 */
export const routeQuestions = ["UDPv6 [2001:4860:4860::8888]:443", "UDPv6 [2001:4860:4860::8888]:53", "UDP 8.8.8.8:53"];

/** Destinations, as `TCP 127.0.0.2:443`, that are neither sockets of the traced processes nor allowed. */
export function strangersIn(
  { destinations, listening }: Pick<SocketTrace, "destinations" | "listening">,
  isAllowed: (destination: string) => boolean,
): readonly string[] {
  const isOwn = (destination: string) => {
    const [protocol = "", place = ""] = destination.split(" ");
    return ["UNIX", "NETLINK"].includes(protocol) || listening.has(place) || routeQuestions.includes(destination);
  };
  return [...destinations.keys()].filter((destination) => !isOwn(destination) && !isAllowed(destination));
}
