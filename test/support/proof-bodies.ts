/** Stored proofs for tests of pages: one that works, one that blocks, and one with hostile text. */
import type { ProofBody, ProofPlan } from "../../src/evidence/proof.ts";
import type { Store } from "../../src/store/store.ts";

const strictPlan: ProofPlan = { policy: null, draft: "strict-hash", headers: [] };

type PageOfProof = ProofBody["pages"][number];

const workingPage: PageOfProof = {
  url: "https://site.test/",
  verdict: "works",
  because: null,
  ...{ blocked: [], blockedDropped: 0, lost: [], newErrors: [], elements: [], movedTo: null, noise: 2 },
  canaries: [
    { name: "inline-script", outcome: "stopped" },
    { name: "jsonp accounts.google.com", outcome: "stopped" },
    { name: "form", outcome: "left-out" },
  ],
  score: {
    before: 52,
    after: 97,
    rows: [
      { key: "content-security-policy", before: "violated", after: "passed", because: null },
      { key: "csp-script-inline", before: "notApplicable", after: "notChecked", because: "header-truncated" },
    ],
  },
  serviceWorker: true,
};

export const workingProof: ProofBody = {
  verdict: "works",
  proven: true,
  headers: [
    { name: "Content-Security-Policy", value: "default-src 'self'; script-src 'nonce-{nonce}' 'strict-dynamic'; object-src 'none'" },
    { name: "Content-Security-Policy-Report-Only", value: null },
  ],
  rung: "strict-nonce",
  costs: ["nonce", "style-attributes"],
  usesNonce: true,
  refused: [{ rung: "strict-hash", because: "many-hashes", blocked: [] }],
  visits: 7,
  pages: [workingPage],
  unvisited: [{ url: "https://site.test/gone", code: "timeout" }],
};

interface StoredProof {
  readonly accountId?: number | null;
  readonly plan?: ProofPlan;
  readonly url?: string;
  readonly now?: Date;
}

/** Queues a proof; no other may wait before it. */
export async function queueProof(
  store: Store,
  { accountId = null, plan = strictPlan, url = "https://site.test/", now = new Date() }: StoredProof = {},
) {
  const proof = await store.proofs.queue({ accountId, urls: [url], plan, now, requestId: undefined });
  if (proof === "full") throw new Error("the queue is full");
  return proof;
}

/** `body`: null for a proof that failed. */
export async function endProof(store: Store, body: ProofBody | null, given: StoredProof = {}) {
  const { token } = await queueProof(store, given);
  const now = given.now ?? new Date();
  const claimed = await store.scans.claimNext("local", now);
  if (claimed?.token !== token) throw new Error("the queue was not empty");
  if (body === null) await store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now });
  else await store.scans.finishProof(token, body, now);
  return token;
}
