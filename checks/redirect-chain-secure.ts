/** Checks that redirects to the page never leave https and are few. */
import { findingIf, forwardScheme, notApplicable, redirectToHttps, registerCheck, violatedBy } from "assay/check";
import { browserRedirects, isHttps, redirectsAmong } from "assay/check/parsers";

/** Enough for every site. RFC 2068 recommended at most five; browsers stop at twenty. */
const redirectsMax = 10;

export default registerCheck({
  key: "redirect-chain-secure",
  weight: 4,
  area: "hsts",
  standards: ["RFC 9110 section 15.4"],
  reads: ["navigation"],
  consults: ["plainHttp"],
  findings: {
    "security.transport.redirect-downgrade": { severity: "high", riskLevel: "high", effort: "low", cwe: 319 },
    "security.transport.redirect-chain-too-long": { severity: "low", riskLevel: "low", effort: "low" },
  },
  fixes: {
    "security.transport.redirect-downgrade": [forwardScheme],
    "security.transport.redirect-chain-too-long": [redirectToHttps],
  },
  judge({ navigation, plainHttp }) {
    const plain = plainHttp.status === "read" ? plainHttp.facts : null;
    const chains = [browserRedirects(navigation), redirectsAmong(plain?.answers ?? [])];
    const count = Math.max(...chains.map((chain) => chain.length));
    const stoppedBecause = plain?.stoppedBecause ?? null;
    const downgrade = chains.flat().find(({ from, to }) => isHttps(from) && to.startsWith("http:"));
    const isTooLong = count > redirectsMax || stoppedBecause === "too-many-hops";
    const found = [
      ...findingIf(downgrade !== undefined, "security.transport.redirect-downgrade", { ...downgrade }),
      ...findingIf(isTooLong, "security.transport.redirect-chain-too-long", { count }),
    ];
    // Without its end, the chain from port 80 may have further faults.
    const complete = plain !== null && stoppedBecause === null;
    return complete && count === 0 ? notApplicable() : violatedBy(found, complete);
  },
});
