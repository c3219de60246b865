/** `fetch` for a service that the operator configured: bounded in time and size, with verified certificates and without redirects. */
import { openEgress } from "./dial.ts";
import { EgressError } from "./egress-error.ts";
import { parseAddress } from "./host.ts";
import { httpRequest, type RequestOptions, verifyingContext } from "./http-client.ts";
import type { EgressSettings } from "./settings.ts";

/** Deadline of one request with its answer. */
const requestMs = 10_000;
const answerBytesMax = 1_048_576;
/** Fields of an answer that are returned to the caller. */
const keptFields = ["content-type", "date", "www-authenticate"];
/** Fields that the client below sets itself. */
const ownFields = new Set(["user-agent", "content-type", "content-length", "host", "connection", "accept-encoding"]);

interface ConfiguredFetchSettings extends Pick<EgressSettings, "dnsServers" | "connectTo"> {
  /** Certificates trusted besides the bundled roots. */
  readonly caPems: readonly string[];
}

interface ConfiguredRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or the fields of a form. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** @throws EgressError; `invalid` for an answer longer than `answerBytesMax`, `blocked` for http outside of this machine. */
export type ConfiguredFetch = (url: string, request: ConfiguredRequest) => Promise<Response>;

export function createConfiguredFetch({ caPems, dnsServers, connectTo }: ConfiguredFetchSettings): ConfiguredFetch {
  const trust = verifyingContext(caPems);
  return async (text, request) => {
    const url = new URL(text);
    assertConfidential(url);
    // An egress pins addresses, so each request has its own.
    const egress = openEgress(configuredServiceGuard({ dnsServers, connectTo }));
    try {
      const reply = await httpRequest(egress, url, optionsOf(request, trust));
      if (reply.truncated) throw new EgressError("invalid", `the answer of ${url.host} is longer than ${answerBytesMax} bytes`);
      const isBodiless = [204, 205, 304].includes(reply.status);
      return new Response(isBodiless ? null : Buffer.from(reply.body), {
        status: reply.status,
        headers: keptFields.flatMap((name): [string, string][] => {
          const value = reply.field(name);
          return value === null ? [] : [[name, value]];
        }),
      });
    } finally {
      egress.close();
    }
  };
}

/** Egress settings for a service that the operator configured: the profile of scans does not apply. */
export function configuredServiceGuard({ dnsServers, connectTo }: Pick<EgressSettings, "dnsServers" | "connectTo">): EgressSettings {
  return { profile: "internal", allowCidrs: [], denyCidrs: [], allowPorts: "any", connectTo, dnsServers, ownEndpoints: [] };
}

function optionsOf({ method = "GET", headers = {}, body, signal }: ConfiguredRequest, trust: RequestOptions["trust"]): RequestOptions {
  const fields = Object.entries(headers);
  const mediaType = fields.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "application/x-www-form-urlencoded";
  return {
    method: method === "POST" ? "POST" : "GET",
    body: body === undefined || body === null ? null : { mediaType, text: String(body) },
    headers: fields.filter(([name]) => !ownFields.has(name.toLowerCase())),
    deadlineMs: requestMs,
    bodyBytesMax: answerBytesMax,
    trust,
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Secrets and answers that decide who signs in never cross a network in clear. */
function assertConfidential({ protocol, hostname, host }: URL): void {
  if (protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname))) return;
  throw new EgressError("blocked", `${host} is only asked over https`);
}

/** True for loopback addresses. Names do not count, because they may resolve to any machine. */
export function isLoopbackHost(hostname: string): boolean {
  return parseAddress(hostname.replace(/^\[|\]$/g, ""))?.range() === "loopback";
}
