/** Proofs of one page, as they are stored. */
import type { ProofBody } from "../../src/evidence/proof.ts";
import type { Store } from "../../src/store/store.ts";

interface StoredProof {
  readonly accountId: number | null;
  readonly url?: string;
  readonly at?: Date;
}

export async function queueProof({ proofs }: Store, { accountId, url = "https://site.example/", at = new Date() }: StoredProof) {
  const plan = { policy: null, draft: "strict-hash", headers: [] } as const;
  const proof = await proofs.queue({ accountId, urls: [url], plan, now: at });
  if (proof === "full") throw new Error("the queue is full");
  return proof.token;
}

/** A finished proof. Starts what waits before it. */
export async function storeProof(store: Store, given: StoredProof): Promise<string> {
  const token = await queueProof(store, given);
  while ((await store.scans.claimNext("local", given.at ?? new Date()))?.token !== token);
  await store.scans.finishProof(token, proofBody(given.url), given.at ?? new Date());
  return token;
}

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
