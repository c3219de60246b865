/** A proof as JSON, for pipelines. */
import { wayToAllow } from "../../prove/allow.ts";
import { changedRows, headersToCopy, type Proof } from "../../prove/prove.ts";
import { jsonLines } from "../terminal.ts";

export function proofJson(url: string, proof: Proof): string {
  const { comparison, before, after, rung, costs, nonce, refused, canaries, visits, serviceWorker } = proof;
  const { blocked, ...compared } = comparison;
  const allowed = blocked.map((one) => ({ ...one, allow: wayToAllow(one, url) }));
  const score = { before: before.score, after: after?.score ?? null, rows: changedRows(proof) };
  return jsonLines({
    url,
    ...compared,
    blocked: allowed,
    headers: headersToCopy(proof),
    rung,
    costs,
    usesNonce: nonce !== null,
    refused,
    canaries,
    score,
    visits,
    serviceWorker,
  }).join("\n");
}
