/** A shop with many faults of every severity: a typical report of an old site, in which every header has a wrong value. */

import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { egressTo, startHttps } from "../support/servers.ts";
import { faultyShop } from "./faulty-applications.ts";
import type { LabSite } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";

const shopHost = "shop-muster.org";

/** Reflects every origin; port 80 is closed, and no resolver answers, so that rows stay unread. */
export async function startShopSite(): Promise<LabSite> {
  const { egress, stop } = await startGroup(async (track) => {
    const site = track(
      await startHttps(siteIdentity(shopHost, { flaw: "self-signed" }), {
        "/": ({ headers: { origin } }, response) => {
          const cors = origin === undefined ? {} : { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
          const headers = { ...faultyShop.headers, "set-cookie": [...faultyShop.headers["set-cookie"]], ...cors };
          response.writeHead(200, headers).end(faultyShop.html);
        },
      }),
    );
    const closed = { port: portWithoutListener() };
    return {
      egress: egressTo({ [`${shopHost}:443`]: site, [`${shopHost}:80`]: closed }, { dnsServers: [`127.0.0.1:${closed.port}`] }),
    };
  });
  return { url: `https://${shopHost}/`, egress, caPems: [testAuthority().root.pem], stop };
}
