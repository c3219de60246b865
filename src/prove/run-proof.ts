/** Runs a proof of the store: scans its first page, and proves the headers on all pages, in the slot that it was claimed for. */
import type { Clock } from "../base/clock.ts";
import { type Log, logWith, messageOf } from "../base/log.ts";
import type { ProofStep } from "../evidence/proof.ts";
import { localLocation } from "../parse/location.ts";
import type { RunProof } from "../scan/dispatcher.ts";
import type { Scanner } from "../scan/scanner.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import { proofJson } from "./proof-json.ts";
import { newNonce, prove } from "./prove.ts";
import { openVisitSlots, visitsAtOnce } from "./visit-slots.ts";

/** Steps of which the first page has a picture. */
const picturedSteps: readonly ProofStep[] = ["baseline", "enforce"];

interface ProofRunnerOptions {
  readonly scanner: Pick<Scanner, "withCatalog">;
  readonly headerCharsMax: number;
  readonly clock: Pick<Clock, "randomBytes">;
  readonly log: Log;
}

export function createProofRunner({ scanner, headerCharsMax, clock, log }: ProofRunnerOptions): RunProof {
  return async (given, { onStep, signal, ...ways }) => {
    const { token, url, urls, plan, requestId } = given;
    const location = scanLocationOf(given);
    const at = location === localLocation ? null : { location, requestId };
    try {
      return await scanner.withCatalog(async ({ scan, visit, judge }) => {
        onStep("scan");
        const scanned = await scan(url, signal);
        if (scanned.status === "failed") return scanned.code;
        const slotForVisit = openVisitSlots({ ...ways, signal });
        const proof = await prove(urls, { ...scanned, headerCharsMax }, plan, {
          visit: (page, overrides, step, onBegin) => {
            onStep(step);
            const job = { url: page, overrides, screenshot: page === url && picturedSteps.includes(step) };
            let end = () => {};
            const begin = async (wait: () => Promise<void>) => {
              end = await slotForVisit(wait);
              onBegin();
            };
            return visit(job, signal, begin).finally(() => end());
          },
          visitsAtOnce,
          judge: (evidence) => judge(evidence, signal),
          nonce: () => newNonce(clock),
        });
        if (typeof proof === "string") return proof;
        const pictures = proof.pages.find((page) => page.url === url)?.pictures ?? { before: null, after: null };
        return { body: proofJson(proof), pictures };
      }, at);
    } catch (error) {
      logWith(log, { token, url }).error("proof broke", { because: messageOf(error) });
      return "crashed";
    }
  };
}
