/** Client of the API of an appliance: requests within limits of size and time, and answers that were checked. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { CheckListSchema, StoredScanSchema } from "../../api/scans/stored-schemas.ts";
import { faultsOfCheck } from "../../catalog/validate.ts";
import type { CheckTexts, Locale } from "../../check/check.ts";
import type { AnyCheck, CheckDefinition } from "../../check/registry.ts";
import { passed } from "../../check/verdict.ts";
import { type Egress, openEgress } from "../../egress/dial.ts";
import { CertificateRefused, EgressError } from "../../egress/egress-error.ts";
import { type HttpReply, httpRequest, type RequestOptions, verifyingContext } from "../../egress/http-client.ts";
import type { ConnectTo } from "../../egress/settings.ts";
import { orNull } from "../../evidence/fields.ts";
import { progressStages } from "../../evidence/scan.ts";
import { createTexts, type Texts } from "../../text/i18n.ts";

/** The server of a call, and how it is reached. */
export interface ServerTarget {
  /** Scheme, host and port, as in `https://assay.example`. */
  readonly origin: string;
  readonly token: string;
  /** Certificates trusted besides the bundled roots. */
  readonly caPems: readonly string[];
  /** Resolvers asked instead of the system's. */
  readonly dnsServers: readonly string[];
  readonly connectTo: readonly ConnectTo[];
  /** Location that scans; null for the location of the server itself. */
  readonly location: string | null;
}

/** `unreachable` and `busy` may pass. The message is a sentence about the server, without its last full stop. */
type ServerFailure = "unreachable" | "busy" | "untrusted" | "refused" | "invalid";

export class ServerError extends Error {
  override readonly name = "ServerError";
  constructor(
    readonly because: ServerFailure,
    message: string,
    /** Delay that the server asks for; only with `busy`. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

const mebibyte = 1024 ** 2;
const requestMs = 30_000;
/** A result has evidence of some MB. */
const resultMs = 120_000;
const answerBytesMax = 16 * mebibyte;
const resultBytesMax = 64 * mebibyte;
/** A server may ask for longer, and is asked again all the same. */
const retryAfterMsMax = 60_000;

const Started = Type.Object({
  items: Type.Array(
    Type.Object({
      token: Type.Optional(Type.String({ pattern: "^[\\w-]{1,64}$" })),
      id: Type.Optional(Type.Integer()),
      error: Type.Optional(Type.Object({ status: Type.Integer(), errorMessage: Type.String() })),
    }),
  ),
});

const Listed = Type.Object({
  items: Type.Array(
    Type.Object({
      token: Type.String(),
      id: Type.Integer(),
      status: Type.Union(["queued", "running", "finished", "failed"].map((status) => Type.Literal(status))),
      /** Absent in releases without locations. */
      location: Type.Optional(Type.String()),
      progressStage: orNull(Type.Union(progressStages.map((stage) => Type.Literal(stage)))),
    }),
  ),
  nextCursor: orNull(Type.String({ pattern: "^\\d{1,15}$" })),
});

export type ListedScans = Static<typeof Listed>;
export type StoredScanBody = Static<typeof StoredScanSchema>;
type CheckListBody = Static<typeof CheckListSchema>;

/** Outcome for one URL of an order. */
type StartedLine =
  | { readonly token: string; readonly id: number }
  | { readonly error: { readonly status: number; readonly message: string } };

const listedScansMax = 100;

/** Each method rejects with `ServerError` alone. `stop` ends reads early. Starts and cancellations run to their end, so that their outcome is known. */
export function openServerClient(target: ServerTarget, stop: AbortSignal) {
  const { origin, token, location } = target;
  // The user names this server: the profile for scans on the internet does not hold for it.
  const egress = openEgress({
    profile: "internal",
    allowCidrs: [],
    denyCidrs: [],
    allowPorts: "any",
    connectTo: target.connectTo,
    dnsServers: target.dnsServers,
    ownEndpoints: [],
  });
  const trust = origin.startsWith("https:") ? verifyingContext(target.caPems) : undefined;
  const headers = [["Authorization", `Bearer ${token}`]] as const;

  function send(path: string, options: Partial<RequestOptions>): Promise<HttpReply> {
    const all = { deadlineMs: requestMs, bodyBytesMax: answerBytesMax, method: "GET", body: null, trust, ...options } as const;
    return reached(egress, origin, () => {
      return httpRequest(egress, `${origin}${path}`, { ...all, headers: [...headers, ...(options.headers ?? [])] });
    });
  }

  async function ask(path: string, options: Partial<RequestOptions> = {}): Promise<HttpReply> {
    const reply = await send(path, options);
    const failure = failureOf(reply, origin);
    if (failure !== null) throw failure;
    return reply;
  }

  async function read<S extends TSchema>(schema: S, path: string, options?: Partial<RequestOptions>): Promise<Static<S>> {
    return bodyOf(schema, await ask(path, { signal: stop, ...options }), origin);
  }

  return {
    checks: () => read(CheckListSchema, "/api/v1/checks"),
    /**
     * Resolves to one line for each URL, in order; `retryAfterMs` is set if lines found a full queue. The key stays the same when the order
     * is repeated, so that no scan is started twice.
     */
    start: async (urls: readonly string[], idempotencyKey: string) => {
      const text = JSON.stringify({ urls, ...(location === null ? {} : { location }) });
      const body = { mediaType: "application/json", text };
      const reply = await ask("/api/v1/scans/bulk", { method: "POST", body, headers: [["Idempotency-Key", idempotencyKey]] });
      const { items } = bodyOf(Started, reply, origin);
      if (items.length !== urls.length) throw foreignAnswer(origin);
      return { lines: items.map((item) => startedLine(item, origin)), retryAfterMs: retryAfterOf(reply) };
    },
    /** Newest first; null is the first page. */
    list: (cursor: string | null) => read(Listed, `/api/v1/scans?limit=${listedScansMax}${cursor === null ? "" : `&cursor=${cursor}`}`),
    /** Result of an ended scan. */
    result: (scan: string) =>
      read(StoredScanSchema, `/api/v1/scans/${scan}/result`, { deadlineMs: resultMs, bodyBytesMax: resultBytesMax }),
    /** False if the scan has begun, or is over. */
    cancel: async (scan: string) => (await send(`/api/v1/scans/${scan}`, { method: "DELETE" })).status === 204,
    close: () => egress.close(),
  };
}

export type ServerClient = ReturnType<typeof openServerClient>;

function startedLine({ token, id, error }: Static<typeof Started>["items"][number], origin: string): StartedLine {
  if (error !== undefined) return { error: { status: error.status, message: error.errorMessage } };
  if (token === undefined || id === undefined) throw foreignAnswer(origin);
  return { token, id };
}

/** @throws ServerError in place of an EgressError. */
async function reached(egress: Egress, origin: string, request: () => Promise<HttpReply>): Promise<HttpReply> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error instanceof CertificateRefused)
      throw new ServerError(
        "untrusted",
        `the certificate of ${origin} is not trusted (${error.message}); --ca-file names the certificate of its authority`,
      );
    if (error.because === "blocked")
      throw new ServerError("refused", `${origin} cannot be asked: ${egress.refusals.at(-1) ?? error.message}`);
    throw new ServerError("unreachable", `${origin} cannot be reached: ${error.message}`);
  }
}

/** Null after success. */
function failureOf(reply: HttpReply, origin: string): ServerError | null {
  const { status } = reply;
  if (status >= 200 && status < 300) return null;
  const message = messageIn(reply.body);
  const said = message === null ? "" : `: ${message}`;
  if (status === 401)
    return new ServerError(
      "refused",
      `${origin} does not accept the API token: it is unknown, revoked or expired, or its account is disabled`,
    );
  if (status === 429 || status >= 500)
    return new ServerError("busy", `${origin} answers with status ${status}${said}`, retryAfterOf(reply));
  const target = reply.field("location");
  if (status < 400 && target !== null)
    return new ServerError("refused", `${origin} redirects to ${target}; --server must name the address itself`);
  if (status === 404 && message === null) return foreignAnswer(origin);
  if (status === 404)
    return new ServerError("refused", `${origin} lacks what this program needs (status 404${said}); update the older one of both`);
  return new ServerError("refused", `${origin} refuses the request (status ${status})${said}`);
}

/** RFC 9110 section 10.2.3; dates are not used by assay. */
function retryAfterOf(reply: HttpReply): number | null {
  const seconds = /^\d{1,6}$/.exec(reply.field("retry-after")?.trim() ?? "")?.[0];
  return seconds === undefined ? null : Math.min(Number(seconds) * 1_000, retryAfterMsMax);
}

/** @throws ServerError */
function bodyOf<S extends TSchema>(schema: S, { body, truncated }: HttpReply, origin: string): Static<S> {
  if (truncated) throw new ServerError("invalid", `an answer of ${origin} is longer than this program reads`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw foreignAnswer(origin);
  }
  if (Value.Check(schema, value)) return value;
  const place = Value.Errors(schema, value).First()?.path ?? "";
  throw new ServerError(
    "invalid",
    `an answer of ${origin} has another form than this program knows, at ${place || "/"}; update the older one of both`,
  );
}

function foreignAnswer(origin: string): ServerError {
  return new ServerError("refused", `${origin} does not answer as an assay server does; check the address of --server`);
}

const messageCharsMax = 300;

/** Field errors of an error body, else its message; null if the API did not write the body. May contain control characters. */
function messageIn(body: Uint8Array): string | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
  const { errorMessage, fieldErrors } = Object(value) as { readonly errorMessage?: unknown; readonly fieldErrors?: unknown };
  if (typeof errorMessage !== "string") return null;
  const ofFields = Object.entries(Object(fieldErrors) as Readonly<Record<string, unknown>>).flatMap(([field, faults]) =>
    Array.isArray(faults) ? faults.map((fault) => `${field} ${String(fault)}`) : [],
  );
  const message = ofFields.length > 0 ? ofFields.join("; ") : errorMessage;
  return message.slice(0, messageCharsMax).replace(/\.$/, "");
}

/** Parts without which a report is complete but for a detail. A newer server may declare what this program does not know. */
const optionalParts = ["area", "standards", "headers", "fixes"];

/** @throws ServerError for checks that this program cannot show. */
export function serverCatalogOf({ checks }: CheckListBody): { readonly checks: readonly CheckDefinition[]; readonly texts: Texts } {
  const known = checks.map((check) => knownPartOf(check));
  const textsIn = (locale: Locale) => Object.fromEntries(checks.map(({ key, texts }) => [key, texts[locale] as unknown as CheckTexts]));
  return { checks: known, texts: createTexts({ "en-gb": textsIn("en-gb"), "de-de": textsIn("de-de") }, known) };
}

/** Readings and conditions belong to judging, which the server has done. */
function knownPartOf({ texts: given, ...declared }: CheckListBody["checks"][number]): CheckDefinition {
  const { appliesTo: _conditions, consults: _readings, headersFrom: _source, ...shown } = declared as Partial<CheckDefinition>;
  const check = { ...shown, reads: [], judge: passed } as unknown as AnyCheck;
  const texts = given as unknown as Readonly<Record<Locale, CheckTexts>>;
  const faults = faultsOfCheck(check, texts);
  const grave = faults.find(({ path }) => !optionalParts.includes(path[0] ?? ""));
  if (grave !== undefined)
    throw new ServerError(
      "invalid",
      `this program cannot show the check "${declared.key}" of the server: ${grave.reason}; update this program`,
    );
  const unknown = faults.map(({ path }) => path[0]);
  return Object.fromEntries(
    Object.entries(check).filter(([part]) => part !== "judge" && !unknown.includes(part)),
  ) as unknown as CheckDefinition;
}
