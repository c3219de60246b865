/** URLs of one-time links, under the public address of this appliance. */
import { networkInterfaces } from "node:os";
import type { IssuedLink } from "../store/one-time-links.ts";
import { linkPath } from "../web/link-paths.ts";
import { urlHost } from "./listen-at.ts";
import type { Config } from "./settings.ts";

export function urlOfLink(base: string, { link, value }: IssuedLink): string {
  return `${base}${linkPath(link.kind, value)}`;
}

/** `public_url`, or else the listening address. `port` is the actual one if `listen` asked for port 0. */
export function baseUrl({ public_url, listen }: Config, port = listen.port): string {
  return public_url ?? `http://${urlHost(reachable(listen.address))}:${port}`;
}

/** An address that can be opened: for 0.0.0.0 and ::, the first external IPv4 address of this machine. */
function reachable(address: string): string {
  if (address !== "0.0.0.0" && address !== "::") return address;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";
}
