/**
 * Scans the own pages and stores the result as the sample report that the program carries: `npm run sample-report`. The server runs as
 * after an ordinary installation: behind a proxy with TLS, without settings of its operator, in an ordinary zone.
 */
import { join } from "node:path";
import { startAppliance } from "../test/browser/web/appliance.ts";
import { startTlsFront } from "../test/browser/web/tls-front.ts";
import { siteIdentity } from "../test/support/certificates.ts";
import type { Zones } from "../test/support/dns-server.ts";
import { startHttp } from "../test/support/servers.ts";

/** Reserved for documentation: RFC 2606 section 3. */
const host = "assay.example.org";
/** An unsigned zone with an address and two name servers. */
const zones: Zones = {
  [host]: { A: ["127.0.0.1"] },
  "example.org": {
    NS: ["ns.example.org", "ns2.example.org"],
    SOA: [{ mname: "ns.example.org", rname: "hostmaster.example.org", serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }],
  },
  "ns.example.org": { A: ["127.0.0.1"] },
  "ns2.example.org": { A: ["127.99.0.1"] },
};
const scanMsMax = 300_000;
const file = join(import.meta.dirname, "../src/web/scans/report/sample-scan.json");

const front = await startTlsFront(siteIdentity(host), () => appliance.origin);
const plain = await startHttp({
  "*": (request, response) => void response.writeHead(301, { location: `https://${host}${request.url}` }).end(),
});
const appliance = await startAppliance({
  sites: { [`${host}:443`]: front, [`${host}:80`]: plain },
  args: ["--trusted-proxy", "127.0.0.1", "--public-url", `https://${host}`],
  zones,
});
try {
  const customer = await appliance.customer();
  const token = (await customer.start(`https://${host}/`)) ?? "";
  await customer.ended(token, scanMsMax);
  await appliance.withStore(async ({ scans, results, evidence }) => {
    const scan = scans.findByToken(token);
    const result = results.find(token);
    const seen = evidence.find(token);
    if (scan?.status !== "finished" || result === undefined || seen === undefined) throw new Error(`the scan ended as ${scan?.status}`);
    const { url, createdAt, startedAt, endedAt, summary } = scan;
    const sample = { scan: { url, createdAt, startedAt, endedAt, summary }, result, ...seen };
    await Bun.write(file, `${JSON.stringify(sample, null, 2)}\n`);
    console.log(`${result.score ?? "no score"} (${result.rank}), ${result.findings.length} findings in ${file}`);
  });
} finally {
  await appliance.stop();
  await front.stop();
  await plain.stop();
}
