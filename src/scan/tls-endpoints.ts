/** Runs the TLS probes of a scan: once for each endpoint, and the offers only for the one that serves the page. */
import { failed, type Reading } from "../evidence/evidence.ts";
import type { TlsFacts, TlsOffersFacts } from "../evidence/tls-facts.ts";
import { probeTls, type TlsContext } from "../probe/tls/tls.ts";
import { probeTlsOffers } from "../probe/tls/tls-offers.ts";

export interface TlsEndpoint {
  readonly host: string;
  readonly port: number;
}

type RunProbe = <F>(name: string, probe: (signal: AbortSignal) => Promise<Reading<F>>) => Promise<Reading<F>>;

export interface TlsEndpoints {
  tls(endpoint: TlsEndpoint | null): Promise<Reading<TlsFacts>>;
  /** Starts after the TLS reading, whose versions it needs. */
  offers(endpoint: TlsEndpoint | null): Promise<Reading<TlsOffersFacts>>;
}

/** Null as endpoint is `not-asked`. */
export function openTlsEndpoints(run: RunProbe, { egress, caPems }: Pick<TlsContext, "egress" | "caPems">): TlsEndpoints {
  const readings = new Map<string, Promise<Reading<TlsFacts>>>();
  const offerReadings = new Map<string, Promise<Reading<TlsOffersFacts>>>();

  async function tls(endpoint: TlsEndpoint | null): Promise<Reading<TlsFacts>> {
    if (endpoint === null) return failed("not-asked");
    return once(readings, endpoint, () => run("tls", (signal) => probeTls({ egress, caPems, ...endpoint, signal })));
  }

  async function offers(endpoint: TlsEndpoint | null): Promise<Reading<TlsOffersFacts>> {
    if (endpoint === null) return failed("not-asked");
    return once(offerReadings, endpoint, async () => {
      const reading = await tls(endpoint);
      if (reading.status === "failed") return failed("not-asked");
      return run("tlsOffers", (signal) => probeTlsOffers({ egress, tls: reading.facts, signal }));
    });
  }

  return { tls, offers };
}

function once<T>(started: Map<string, Promise<T>>, { host, port }: TlsEndpoint, start: () => Promise<T>): Promise<T> {
  const key = `${host} ${port}`;
  const reading = started.get(key) ?? start();
  started.set(key, reading);
  return reading;
}

/** TLS endpoint of a URL: the port of https, 443 for http on port 80, otherwise null. */
export function tlsEndpointOf(url: string): TlsEndpoint | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const { protocol, hostname: host, port } = parsed;
  if (protocol === "https:") return { host, port: port === "" ? 443 : Number(port) };
  return port === "" ? { host, port: 443 } : null;
}
