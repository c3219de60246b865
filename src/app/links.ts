/** One-time links as the operator hands them over: under the address that people reach this appliance at. */
import { networkInterfaces } from "node:os";
import type { IssuedLink } from "../store/one-time-links.ts";
import { linkPath } from "../web/link-paths.ts";
import type { Config } from "./settings.ts";

export function urlOfLink(base: string, { link, value }: IssuedLink): string {
  return `${base}${linkPath(link.kind, value)}`;
}

/** `public_url`, or where the server listens. `port` is the one it really got, where that is known. */
export function baseUrl({ public_url, listen }: Config, port = listen.port): string {
  return public_url ?? `http://${urlHost(reachable(listen.address))}:${port}`;
}

/** "Every address" is none that can be opened: the first of this machine that others can reach stands for it. */
function reachable(address: string): string {
  if (address !== "0.0.0.0" && address !== "::") return address;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";
}

/** As it stands in a URL. */
export function urlHost(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
