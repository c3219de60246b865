/** Listening at the address of a setting. */
import type { Log } from "../base/log.ts";
import { type HttpHandler, type Listening, listen } from "../http/server.ts";
import { ConfigError } from "./config.ts";

interface ListenPlace {
  readonly address: string;
  readonly port: number;
  /** Flag of the setting, for the error. */
  readonly flag: string;
}

/** @throws ConfigError if the address is in use or not allowed. */
export function listenAt({ address, port, flag }: ListenPlace, handler: HttpHandler, log: Log): Listening {
  try {
    return listen(handler, { hostname: address, port, log });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`cannot listen on ${urlHost(address)}:${port} (${code}); ${flag} names another address`);
  }
}

/** Host part of a URL: an IPv6 address gets brackets (RFC 3986 section 3.2.2). */
export function urlHost(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
