/** Stored proofs for tests of pages: one that works, one that blocks, and one with hostile text. */
import type { ProofBody, ProofPictures, ProofPlan } from "../../src/evidence/proof.ts";
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
  unneeded: [
    { directive: "default-src", source: "'self'" },
    { directive: "script-src", source: "'nonce-{nonce}'" },
  ],
  visits: 7,
  pages: [workingPage],
  unvisited: [{ url: "https://site.test/gone", code: "timeout" }],
};

/** `text`: stands wherever a site can write. */
export function blockingProof(text: string): ProofBody {
  const page: PageOfProof = {
    ...workingPage,
    verdict: "blocks",
    blocked: [
      {
        ...{ directive: "script-src-elem", kind: "url", url: `https://cdn.test/${text}`, hash: null },
        ...{ file: `https://site.test/${text}`, line: 7, byScript: false, reportOnly: false },
        allow: { way: "source", directive: "script-src", source: `cdn.test${text}`, value: `'self' cdn.test${text}` },
      },
      {
        ...{
          directive: "script-src-attr",
          kind: "inline",
          url: null,
          hash: null,
          file: null,
          line: null,
          byScript: false,
          reportOnly: false,
        },
        allow: { way: "move-handler", directive: "script-src-attr", source: "", value: "" },
      },
    ],
    lost: [{ url: `https://site.test/lost?${text}`, kind: "script", outcome: "loaded" }],
    newErrors: [{ text: `ReferenceError: ${text}`, url: null, line: null }],
    elements: [
      { name: "main", before: 1, after: 0 },
      { name: "#text", before: 900, after: 100 },
    ],
    movedTo: `https://site.test/moved?${text}`,
    canaries: [],
    score: { before: 52, after: null, rows: [] },
    serviceWorker: false,
  };
  const headers = [{ name: "Content-Security-Policy", value: "script-src 'none'" }];
  return {
    ...workingProof,
    verdict: "blocks",
    proven: false,
    headers,
    rung: null,
    costs: [],
    usesNonce: false,
    unneeded: [{ directive: "img-src", source: `cdn.test${text}` }],
    pages: [page],
    unvisited: [],
  };
}

interface StoredProof {
  readonly accountId?: number | null;
  readonly plan?: ProofPlan;
  readonly url?: string;
  readonly now?: Date;
  readonly pictures?: ProofPictures;
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
  else await store.scans.finishProof(token, body, now, given.pictures);
  return token;
}
