/** A proof: what is asked for, and what it shows. One schema for command line, store, API and pages. */
import { type TSchema, Type } from "@sinclair/typebox";
import { type Fact, literalOf, orNull } from "./fields.ts";
import { blockedByPolicy, observedRequest, pageError } from "./observation.ts";

/** Steps in their order; enforce and attack may come several times. */
export const proofSteps = ["scan", "baseline", "observe", "enforce", "attack"] as const;
export type ProofStep = (typeof proofSteps)[number];

/** Pages of one proof, on the command line and on the largest plan. */
export const provePagesMax = 25;

/** Sources that no visit needed. */
export const unneededMax = 100;

export const rungs = ["strict-hash", "strict-nonce", "hosts"] as const;
/** `strict-hash` and `strict-nonce`: scripts by hash or nonce, and what these add. `hosts`: scripts by the hosts that the page uses. */
export type Rung = (typeof rungs)[number];

const header = Type.Object({
  name: Type.String(),
  value: orNull(Type.String({ description: "Null takes all fields of the name away." })),
});

/** Pictures of the first page, as `screenshotType`: without changed headers, and with them. Null where none was taken. */
export type ProofPictures = Readonly<Record<ProofPicture, Uint8Array | null>>;
export const proofPictures = ["before", "after"] as const;
export type ProofPicture = (typeof proofPictures)[number];

/** What is to be proven. */
export interface ProofPlan {
  /** Policy of the user, where `{nonce}` stands for a new one; null to draft one, if `draft` names where to begin. */
  readonly policy: string | null;
  readonly draft: Rung | null;
  /** Further headers, proven together with the policy. */
  readonly headers: readonly Fact<typeof header>[];
}

const described = (description: string) => ({ description });
const named = (description: string) => Type.String(described(description));
const count = (description: string) => Type.Integer({ minimum: 0, description });
const listOf = <S extends TSchema>(items: S, description: string) => Type.Array(items, described(description));
const score = orNull(Type.Integer({ minimum: 0, maximum: 100 }));
const state = literalOf("passed", "violated", "notChecked", "notApplicable");

/**
 * `source`: add it to the directive. `in-place-of-none`: `'none'` has to give way. `directive`: add the directive, which so far falls back to
 * another one. `nonce`: `'strict-dynamic'` ignores hosts. `weakens`: possible, at a price. Otherwise the page has to change.
 */
const wayToAllow = Type.Object({
  way: literalOf("source", "in-place-of-none", "directive", "nonce", "move-handler", "weakens", "trusted-types", "unknown-code"),
  directive: Type.String(),
  source: Type.String(),
  value: named("All sources of the directive, once it allows this, too."),
});
export type WayToAllow = Fact<typeof wayToAllow>;

const blocked = Type.Object({
  ...blockedByPolicy.properties,
  allow: wayToAllow,
});

/**
 * `would-run`: the policy allows the address, and its host was not asked whether it serves such a script. `left-out`: it did not run without
 * the policy either, so that it proves nothing.
 */
const canaryOutcomes = ["stopped", "runs", "would-run", "left-out"] as const;

const canary = Type.Object({
  name: named("Kind of the injected code, and its host for code of other hosts."),
  outcome: literalOf(...canaryOutcomes),
});

const verdict = literalOf("works", "blocks", "changes", "unknown", "no-draft");

const page = Type.Object({
  url: Type.String(),
  verdict,
  because: orNull(named("Why the verdict is unknown.")),
  blocked: listOf(blocked, "What the headers block, and how to allow it."),
  blockedDropped: count("Number of further things that are blocked."),
  lost: listOf(Type.Object(observedRequest.properties), "Requests that the page does not make any more."),
  newErrors: listOf(Type.Object(pageError.properties), "Errors of the page that are new."),
  elements: listOf(
    Type.Object({ name: Type.String(), before: Type.Number(), after: Type.Number() }),
    "Elements whose number changes, and #text for the characters of the text.",
  ),
  movedTo: orNull(named("Address that the page goes to instead.")),
  noise: count("Differences between the two visits without the headers, which are left out."),
  canaries: listOf(
    canary,
    "What became of injected code. would-run: if its host serves it. left-out: it does not run without the headers either.",
  ),
  score: Type.Object({
    before: score,
    after: score,
    rows: listOf(
      Type.Object({ key: Type.String(), before: state, after: state, because: orNull(Type.String()) }),
      "Rows of the ledger whose state changes.",
    ),
  }),
  serviceWorker: Type.Boolean(described("True if the page has a service worker, which visits bypass.")),
});

/** The whole proof, as it is printed, stored and answered. */
export const proofSchema = Type.Object({
  verdict,
  proven: Type.Boolean(described("True if nothing of the pages breaks, and no injected code runs.")),
  headers: listOf(header, "The headers to copy. {nonce} stands for a new random value in each answer."),
  rung: orNull(literalOf(...rungs)),
  costs: listOf(Type.String(), "What the draft leaves open, or needs of the application."),
  usesNonce: Type.Boolean(),
  refused: listOf(
    Type.Object({
      rung: literalOf(...rungs),
      because: Type.String(),
      blocked: listOf(Type.Object(blockedByPolicy.properties), "What the visits with its draft blocked."),
    }),
    "Stricter drafts that do not work.",
  ),
  unneeded: Type.Optional(
    Type.Array(Type.Object({ directive: Type.String(), source: Type.String() }), {
      maxItems: unneededMax,
      description:
        "Sources of a drafted policy that works which no visit needed: without any one of them, nothing that the visits saw would be blocked. Absent without any.",
    }),
  ),
  visits: count("Visits of all pages."),
  pages: listOf(page, "In the order in which they were given."),
  unvisited: listOf(Type.Object({ url: Type.String(), code: Type.String() }), "Pages that could not be visited."),
});
export type ProofBody = Fact<typeof proofSchema>;
