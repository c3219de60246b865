/** A finished proof of one page. */
import type { ProofBody } from "../../src/evidence/proof.ts";

export function proofBody(url = "https://site.example/"): ProofBody {
  return {
    verdict: "works",
    proven: true,
    headers: [
      { name: "Content-Security-Policy", value: "default-src 'self'" },
      { name: "Content-Security-Policy-Report-Only", value: null },
    ],
    rung: "hosts",
    costs: [],
    usesNonce: false,
    refused: [{ rung: "strict-hash", because: "many-hashes", blocked: [] }],
    visits: 7,
    pages: [
      {
        ...{ url, verdict: "works", because: null, blocked: [], blockedDropped: 0, lost: [], newErrors: [], elements: [] },
        ...{ movedTo: null, noise: 0, canaries: [{ name: "inline-script", outcome: "stopped" }], serviceWorker: false },
        score: { before: 52, after: 96, rows: [{ key: "csp-present", before: "violated", after: "passed", because: null }] },
      },
    ],
    unvisited: [],
  };
}
