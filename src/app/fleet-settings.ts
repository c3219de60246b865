/** Schema of the settings of a fleet: the nats-server between head and workers, and what each of them needs besides. */
import { Type } from "@sinclair/typebox";
import { parseEndpoint, parseNatsUrl } from "../parse/address.ts";
import { localLocation, parseLocation } from "../parse/location.ts";
import { none, oneOf, optional, parsed, path, setting } from "./setting.ts";

export const settingsOfFleet = {
  readers: setting(oneOf("everybody", "accounts"), {
    doc: "Who may read the pages of scans: everybody, or accounts that are signed in. With accounts, guests start no scans, whatever guest.scans says.",
    allowed: "everybody or accounts",
    fallback: () => "everybody",
  }),
  "nats.url": setting(Type.Array(parsed(parseNatsUrl)), {
    doc: "Servers of NATS JetStream that workers of other machines connect to. Without one, all scans run in this process.",
    allowed: "a list of tls://host:port; nats:// only with a loopback address",
    fallback: none,
    defaultDoc: "none",
    flag: "--nats <url...>",
  }),
  "nats.credentials_file": setting(optional(path), {
    doc: "File with the nkey seed of this process, or with its JWT and seed (creds).",
    allowed: "a file",
    fallback: () => null,
    defaultDoc: "the server's own seed in <data>; a worker has no default",
    flag: "--nats-credentials <file>",
    isPath: true,
  }),
  "nats.ca_file": setting(optional(path), {
    doc: "Certificates (PEM) trusted for nats.url instead of the bundled roots.",
    allowed: "a file",
    fallback: () => null,
    defaultDoc: "the bundled roots",
    flag: "--nats-ca <file>",
    isPath: true,
  }),
  "fleet.location": setting(optional(parsed(parseRemoteLocation)), {
    doc: "Location of this worker, as it was enrolled.",
    allowed: "small letters, digits and hyphens, at most 32, as in berlin; not local",
    fallback: () => null,
    defaultDoc: "none; a worker needs one",
    flag: "--location <name>",
  }),
  "fleet.wait_max": setting(Type.Integer({ minimum: 1, maximum: 720 }), {
    doc: "Hours that scans wait for a location without workers; then they fail.",
    allowed: "a whole number of hours from 1 to 720",
    fallback: () => 24,
  }),
  "worker.listen": setting(parsed(parseEndpoint), {
    doc: "Address and port of health and metrics of a worker. Port 0 takes a free one.",
    allowed: "address:port, as in 127.0.0.1:8788",
    fallback: () => "127.0.0.1:8788",
    flag: "--health <address:port>",
  }),
} as const;

function parseRemoteLocation(text: string): string | null {
  return text === localLocation ? null : parseLocation(text);
}
