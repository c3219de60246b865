/** The site of the web cases: one page, with further routes, on a public-looking host, its subdomain and a third party. */

import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { type Answer, egressTo, type Routes, startHttp, startHttps } from "../support/servers.ts";
import type { LabSite } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";

/** A public-looking name, so that all checks apply. No query leaves the machine. */
export const webHost = "assay-web-site.org";
/** A first-party and a third-party host. */
export const webSubdomain = `www.${webHost}`;
export const webLibraryHost = "library.assay-library-site.net";

const deadlines = { settleMs: 100, settleMaxMs: 1_000 };

export type Headers = NonNullable<Answer["headers"]>;

export interface WebSite {
  /** Host of the page; `webHost` by default. */
  readonly host?: string;
  readonly headers?: Headers;
  readonly head?: string;
  readonly body?: string;
  /** Further routes of all hosts. */
  readonly routes?: Routes;
  /** Routes of port 80, which redirects to the page by default. */
  readonly plain?: Routes;
  readonly scheme?: "http" | "https";
  readonly selfSigned?: boolean;
}

/** Redirect with further headers. */
export const redirectTo = (location: string, headers: Headers = {}): Answer => ({ status: 301, headers: { ...headers, location } });

export async function serveWeb({
  host = webHost,
  headers = {},
  head = "",
  body = "",
  routes = {},
  plain,
  scheme = "https",
  selfSigned,
}: WebSite): Promise<LabSite> {
  const html = `<!doctype html><html lang="en"><head><title>Page</title>${head}</head><body><h1>Page</h1>${body}</body></html>\n`;
  const { egress, stop } = await startGroup(async (track) => {
    const identity = siteIdentity(host, { names: [host, webSubdomain, webLibraryHost], ...(selfSigned && { flaw: "self-signed" }) });
    const site = track(await startHttps(identity, { "/": { headers, body: html }, ...routes }));
    const plainServer = track(await startHttp(plain ?? { "*": redirectTo(`https://${host}/`) }));
    const https = [host, webSubdomain, webLibraryHost].map((name) => [`${name}:443`, site]);
    const closedResolver = `127.0.0.1:${portWithoutListener()}`;
    return { egress: egressTo({ ...Object.fromEntries(https), [`${host}:80`]: plainServer }, { dnsServers: [closedResolver] }) };
  });
  return { url: `${scheme}://${host}/`, egress, caPems: [testAuthority().root.pem], deadlines, stop };
}
