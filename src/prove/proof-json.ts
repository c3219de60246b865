/** A proof as plain JSON, for pipelines and the API. */
import type { ProofBody } from "../evidence/proof.ts";
import { wayToAllow } from "./allow.ts";
import { changedRows, headersToCopy, isProven, type PageProof, type Proof, policiesIn, proofVerdict } from "./prove.ts";

export function proofJson(proof: Proof): ProofBody {
  const headers = headersToCopy(proof);
  const { origin, pages, unvisited, rung, costs, nonce, refused, unneeded, visits } = proof;
  return {
    verdict: proofVerdict(proof),
    proven: isProven(proof),
    headers,
    rung,
    costs,
    usesNonce: nonce !== null,
    refused,
    ...(unneeded.length > 0 && { unneeded }),
    visits,
    pages: pages.map((page) => pageJson(page, origin, policiesIn(headers))),
    unvisited,
  };
}

function pageJson({ url, comparison, canaries, before, after, serviceWorker }: PageProof, origin: string, policies: readonly string[]) {
  const { blocked, ...compared } = comparison;
  const allowed = blocked.map((one) => ({ ...one, allow: wayToAllow(one, origin, policies) }));
  const score = { before: before?.score ?? null, after: after?.score ?? null, rows: changedRows({ before, after }) };
  return { url, ...compared, blocked: allowed, canaries, score, serviceWorker };
}
