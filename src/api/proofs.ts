/** Operations on proofs: start, list, read and cancel them. */
import { Type } from "@sinclair/typebox";
import { planTerms, proofPagesMax } from "../accounts/account-operations.ts";
import { locales } from "../check/check.ts";
import { proofSchema, proofSteps } from "../evidence/proof.ts";
import { canProve, scanErrorCodes } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { parseScanUrl } from "../parse/scan-url.ts";
import {
  type DraftStart,
  draftStarts,
  type PlanFault,
  plannedHeaderCharsMax,
  plannedHeadersMax,
  planOf,
  policyFaultText,
  provenPages,
} from "../prove/plan.ts";
import { cancelOwnProof, readableProof, startProof } from "../prove/proof-operations.ts";
import { scansOfAccountPerHourMax, scansOfProvenPage } from "../scans/start-limits.ts";
import { type Account, plans } from "../store/accounts.ts";
import type { ProofRecord } from "../store/proofs.ts";
import { proofErrorMessage } from "../text/render.ts";
import type { HeaderFields } from "./answer.ts";
import { jsonBody } from "./body.ts";
import { ApiError, doneOrThrow, invalidFields, proofsExceeded, queueFull, recordNotFound } from "./errors.ts";
import { forAccounts, JsonAnswer, operation } from "./operation.ts";
import { invalidListQuery, localeQuery, pageBody } from "./queries.ts";
import { answered, badBody, refused, retryAfter, unknownRecord } from "./responses.ts";
import { pollAgainSeconds } from "./scans/reads.ts";
import {
  checkedLocation,
  hashOfParts,
  idempotencyKeyHeader,
  idempotencyKeyReused,
  idempotencyOf,
  keyReused,
  replayed,
  replayedHeader,
} from "./scans/starts.ts";
import { bodyOf, closed, instantOf, ListQuery, model, nextCursor, nullable, oneOfValues, pageRequestOf } from "./schemas.ts";
import type { ApiServices } from "./services.ts";
import { queryOf } from "./validation.ts";

const proofsPath = "/api/v1/proofs";
/** Enough for one header of the longest kind, with the escapes of JSON. */
const proofBodyBytesMax = 65_536;

const countedText = `Each page of a proof counts as ${scansOfProvenPage} scans, and an account may start ${scansOfAccountPerHourMax} scans an hour by proofs and pages.`;

const pagesMax = Math.max(...plans.map((plan) => planTerms[plan].proofPages));

const ProofRequest = model(
  "ProofRequest",
  Type.Object(
    {
      url: Type.String({ description: "The page: as `url` of ScanRequest.", examples: ["https://site.example/"] }),
      pages: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: pagesMax - 1,
          description: "Further pages of the same origin, for which the headers have to work, too. The plan of the account limits them.",
        }),
      ),
      location: Type.Optional(
        Type.String({
          description: `Where to prove from: ${localLocation}, this appliance itself, when omitted, or a location whose present workers can all visit pages for proofs.`,
        }),
      ),
      draft: Type.Optional(
        oneOfValues(Object.keys(draftStarts) as [DraftStart, ...DraftStart[]], {
          description: "Where a draft begins. Without headers a draft begins with strict policies.",
        }),
      ),
      headers: Type.Optional(
        Type.Array(Type.String({ maxLength: plannedHeaderCharsMax }), {
          maxItems: plannedHeadersMax,
          description:
            'As "Name: value", in place of all fields of that name; "Name:" takes them away. One may be a Content-Security-Policy.',
          examples: [["X-Frame-Options: DENY"]],
        }),
      ),
    },
    closed,
  ),
);

/** `cancelled`: it was ended before its own end. */
const proofStatuses = ["queued", "running", "finished", "failed", "cancelled"] as const;

const shown = {
  token: Type.String({ description: "Names the proof; an unguessable word." }),
  id: Type.Integer({ description: "Rises from proof to proof." }),
  url: Type.String({ description: "The first page, in its ASCII form and without fragment." }),
  status: oneOfValues(proofStatuses),
  statusUrl: Type.String({ description: "Relative path of the proof." }),
  step: nullable(oneOfValues(proofSteps), { description: "Null unless it is running." }),
  location: Type.Optional(Type.String({ description: `Where it runs; absent for ${localLocation}.` })),
  createdAt: instantOf("When it was queued."),
  endedAt: nullable(instantOf("When it ended; null before.")),
  errorCode: nullable(oneOfValues(scanErrorCodes), { description: "Why it failed; else null." }),
};
const ListedProof = Type.Object(shown);
const ProofList = model("ProofList", Type.Object({ items: Type.Array(ListedProof, { description: "Newest first." }), nextCursor }));
const ProofReport = model(
  "ProofReport",
  Type.Object({
    ...shown,
    errorMessage: nullable(Type.String({ description: "Why it failed, localised; else null." })),
    proof: nullable(model("Proof", proofSchema), { description: "As `assay prove -o json=-` prints it. Null unless it is finished." }),
  }),
);
const ProofStarted = model(
  "ProofStarted",
  Type.Object({ token: shown.token, id: shown.id, status: Type.Literal("queued"), statusUrl: shown.statusUrl }),
);

const ofProofs = forAccounts("proofs");
const params = Type.Object({ token: shown.token });
const noProof = unknownRecord("proof");
/** A proof belongs to those who asked for it. */
const unlisted: HeaderFields = { "x-robots-tag": "noindex" };

const statusUrlOf = (token: string) => `${proofsPath}/${token}`;
const listedBody = bodyOf(ListedProof);

function listedProof(proof: ProofRecord) {
  const status = proof.errorCode === "cancelled" ? "cancelled" : proof.status;
  return listedBody({ ...proof, location: proof.location, status, statusUrl: statusUrlOf(proof.token) });
}

export const proofOperations = [
  operation({
    id: "startProof",
    route: "POST /api/v1/proofs",
    ...ofProofs,
    summary: "Start a proof",
    description: "Queues a proof of one or more pages. It is on disk when this answers. Each page is visited up to eight times.",
    headers: [idempotencyKeyHeader],
    body: jsonBody(ProofRequest, { bytesMax: proofBodyBytesMax }),
    answers: {
      202: answered("The proof is queued.", ProofStarted, {
        Location: { description: "The proof: the same as statusUrl.", schema: { type: "string" } },
        ...replayed,
      }),
    },
    refusals: {
      400: refused(`${badBody} A fault in a policy is named by line and column, and nothing is visited.`),
      ...keyReused,
      409: refused("The location makes no proofs now. The answer names the workers that cannot, and their releases."),
      429: refused(`Too many requests in this minute, or too many proofs in this hour. ${countedText}`, undefined, undefined, retryAfter),
      503: refused("The queue is full, or the disk.", undefined, undefined, retryAfter),
    },
    run: async ({ body, request, requestContext: { requestId }, account, api }) => {
      const urls = pagesOf(body.url, body.pages ?? [], account);
      const planned = planOf(body.headers ?? [], body.draft ?? null);
      if ("fault" in planned) throw planRefused(planned.fault);
      const location = provingLocation(api, body.location);
      const { plan } = planned;
      const idempotency = idempotencyOf(request, hashOfParts([proofsPath, urls, plan, ...(location === localLocation ? [] : [location])]));
      const started = await startProof(api, { account, address: null }, { urls, plan, location, idempotency, requestId });
      if ("resetSeconds" in started) throw proofsExceeded(countedText, started.resetSeconds);
      const { token, id, ...replay } = doneOrThrow(started, (refusal) => (refusal === "full" ? queueFull() : idempotencyKeyReused()));
      const statusUrl = statusUrlOf(token);
      return new JsonAnswer({ token, id, status: "queued", statusUrl }, { location: statusUrl, ...replayedHeader(replay), ...unlisted });
    },
  }),
  operation({
    id: "listProofs",
    route: "GET /api/v1/proofs",
    ...ofProofs,
    summary: "List your account's proofs, newest first",
    query: queryOf(ListQuery, invalidListQuery, { repeated: "last" }),
    answers: { 200: answered("A page of proofs.", ProofList) },
    refusals: { 400: refused("limit or cursor is not valid.") },
    run: ({ account, query, api }) => pageBody(api.store.proofs.listOfAccount(account.id, pageRequestOf(query)), listedProof),
  }),
  operation({
    id: "readProof",
    route: "GET /api/v1/proofs/{token}",
    params,
    ...ofProofs,
    summary: "Read a proof",
    description: "For its account, and members who share its sites. Retry-After is there while the proof is not over.",
    query: localeQuery,
    answers: { 200: answered("The proof.", ProofReport, retryAfter) },
    refusals: { 400: refused("The locale is not one of the two."), ...noProof },
    run: ({ params: { token }, query: { locale = locales[0] }, account, api }) => {
      const proof = readableProof(api.store, account, token ?? "");
      if (proof === undefined) throw recordNotFound("proof");
      const { errorCode, url, endedAt } = proof;
      const errorMessage = errorCode === null ? null : proofErrorMessage(errorCode, url, locale, api.checks().texts);
      const body = { ...listedProof(proof), errorMessage, proof: api.store.proofs.result(proof.token) ?? null };
      return new JsonAnswer(body, { ...unlisted, ...(endedAt === null && { "retry-after": String(pollAgainSeconds) }) });
    },
  }),
  operation({
    id: "cancelProof",
    route: "DELETE /api/v1/proofs/{token}",
    params,
    ...ofProofs,
    summary: "Cancel a proof",
    description: "Removes a proof that waits, and ends one that runs with the status cancelled. A proof that is over stays.",
    answers: { 204: { description: "The proof is gone, or has ended." } },
    refusals: { ...noProof, 409: refused("The proof is over.") },
    run: async ({ params: { token }, account, api }) => {
      doneOrThrow(await cancelOwnProof(api, api.cancelProof, account, token ?? ""), (refusal) =>
        refusal === "unknown" ? recordNotFound("proof") : new ApiError(409, "The proof is over; proofs that are over stay."),
      );
      return undefined;
    },
  }),
];

/** @throws ApiError 400 */
function pagesOf(first: string, others: readonly string[], account: Account): readonly string[] {
  const pages = [first, ...others].map((given, at) => {
    const parsed = parseScanUrl(given);
    if ("url" in parsed) return parsed.url;
    throw invalidFields(at === 0 ? { url: [parsed.fault] } : { pages: [`entry ${at} ${parsed.fault}`] });
  });
  const max = proofPagesMax(account);
  const { urls, fault } = provenPages(pages, max);
  if (fault === null) return urls;
  const texts = { origin: "must have the origin of url", "too-many": `may have ${max - 1} entries on the plan "${account.plan}"` };
  throw invalidFields({ pages: [texts[fault.code]] });
}

/** Workers that a message names. */
const namedWorkersMax = 20;

/** @throws ApiError 400 for an unknown location, 409 for one that makes no proofs now */
function provingLocation(api: Pick<ApiServices, "store" | "locations">, wanted: string | undefined): string {
  const location = checkedLocation({ api }, wanted);
  if (location === localLocation) return location;
  const provers = api.locations.provers(location);
  if (canProve(provers)) return location;
  const { present, unable } = provers;
  const workers = api.store.workers.list().filter(({ id }) => unable.includes(id));
  const named = workers.slice(0, namedWorkersMax).map(({ name, version }) => `${name} (${version ?? "release unknown"})`);
  const because =
    present === 0 ? "No worker takes jobs there" : `These workers cannot visit pages with changed headers: ${named.join(", ")}`;
  throw new ApiError(409, `No proof can run at the location ${location} now. ${because}.`);
}

/** Words of the user that a message repeats. */
const quotedCharsMax = 60;

function planRefused(fault: PlanFault): ApiError {
  if (fault.code === "draft-and-policy") return invalidFields({ draft: ["excludes a Content-Security-Policy among the headers"] });
  const place = `entry ${fault.header + 1}`;
  if (fault.code === "form") return invalidFields({ headers: [`${place} must be "Name: value"`] });
  if (fault.code === "characters") return invalidFields({ headers: [`${place} may have printable ASCII characters only`] });
  if (fault.code === "second-policy")
    return invalidFields({ headers: [`${place} is a second Content-Security-Policy; join both by a comma`] });
  const quoted = (word: string) => word.slice(0, quotedCharsMax);
  return invalidFields({ headers: fault.faults.map((one) => `${place}, ${policyFaultText(one, quoted)}`) });
}
