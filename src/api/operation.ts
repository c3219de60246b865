/** One declaration for each operation: routes, validation, the OpenAPI description, the page /api and docs/api.md follow from it. */
import type { TObject } from "@sinclair/typebox";
import { authenticate } from "../accounts/token-operations.ts";
import { recordIdOf } from "../base/record-id.ts";
import type { Account } from "../store/accounts.ts";
import { DataDirError } from "../store/data-dir.ts";
import { answer, type HeaderFields, prepareHeaders, type RequestContext } from "./answer.ts";
import type { RequestBody } from "./body.ts";
import { administratorsOnly, type RecordKind, recordNotFound, storeFull, unauthenticated } from "./errors.ts";
import { diskFull, type Responses, unknownRecord } from "./responses.ts";
import { idParams } from "./schemas.ts";
import type { OperationServices } from "./services.ts";
import type { QueryParameters } from "./validation.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** Who may call an operation. Each needs a token of an account whose plan includes the API. */
const audiences = ["accounts", "administrators"] as const;
export const tags = {
  scans: "Start scans and read what they found.",
  proofs: "Prove headers on a page before they are deployed. A proof is no scan: no list, history or badge shows it.",
  sites: "Sites that are watched: scanned by a schedule, with events on what changed.",
  notifications: "Channels, rules that say what they get, events and their deliveries.",
  agencies: "What an agency gives to its clients, and who shares its sites.",
  webhooks: "Requests that the appliance sends to a channel. They follow the Standard Webhooks specification.",
  administration: "For accounts of administrators.",
} as const;

/** A request that has passed the auth guard. */
export interface Call {
  readonly request: Request;
  readonly requestContext: RequestContext;
  readonly bearer: string | undefined;
  /** Parameters of the path. Broken percent-encoding arrives as null. */
  readonly params: Readonly<Record<string, string | null | undefined>>;
  readonly account: Account;
  readonly api: OperationServices;
}

interface Given<Query, Body, Stored> extends Call {
  readonly query: Query;
  readonly body: Body;
  readonly record: Stored;
}

export interface Description {
  /** Names the operation in the description. */
  readonly id: string;
  /** Method and path. Parameters are written as `{name}`; one with an enumeration may be a part of a segment. */
  readonly route: `${Method} /api/v1/${string}`;
  readonly audience: (typeof audiences)[number];
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description?: string;
  readonly params?: TObject;
  /** Request headers that only this operation reads. */
  readonly headers?: readonly { readonly name: string; readonly schema: object }[];
  /** Answers without a fault. The first status is sent with the body that `run` returns. */
  readonly answers: Responses;
  /** Refusals besides those that every operation has. A change also declares a full disk, and an operation on a record its absence. */
  readonly refusals?: Responses;
}

interface NamedRecord<Stored> {
  /** @throws ApiError 404 */
  find(call: Call): Stored;
  /** Refusal of an unknown record. */
  readonly missing: Responses;
}

interface Declaration<Query, Body, Stored> extends Description {
  readonly query?: QueryParameters<Query>;
  readonly body?: RequestBody<Body>;
  /** Record that the path names. It is looked up before the body is read. */
  readonly record?: NamedRecord<Stored>;
  /** False for a change that stores nothing, which a full disk does not stop. */
  readonly stores?: false;
  /** Gives a body for JSON, anything for 204, or a response. Rejects with ApiError. */
  run(given: Given<Query, Body, Stored>): Outcome | Promise<Outcome>;
}

/** A status of 204 takes no notice of it. */
type Outcome = object | null | undefined;

/** JSON with headers of its own. */
export class JsonAnswer {
  constructor(
    readonly body: object,
    readonly headers: HeaderFields,
  ) {}
}

/** What most operations of a part of the API have in common. */
export const forAccounts = <const Tag extends Description["tag"]>(tag: Tag) => ({ audience: "accounts", tag }) as const;

/** Parameter and look-up of a record of the account. The refusal is the same for a record of another account. */
export function ownRecord<Stored>(
  kind: RecordKind,
  shownId: number,
  find: (store: OperationServices["store"], accountId: number, id: number) => Stored | undefined,
) {
  const record: NamedRecord<Stored> = {
    missing: unknownRecord(kind),
    find: ({ account, params, api }) => {
      const found = find(api.store, account.id, recordIdOf(params.id));
      if (found === undefined) throw recordNotFound(kind);
      return found;
    },
  };
  return { params: idParams(kind, shownId), record } as const;
}

export interface ApiOperation extends Description {
  readonly query?: Pick<QueryParameters<unknown>, "schema">;
  readonly body?: Pick<RequestBody<unknown>, "content" | "bytesMax">;
  readonly method: Method;
  readonly path: string;
  /** @throws ApiError */
  serve(call: Call): Response | Promise<Response>;
}

export function operation<Query = undefined, Body = undefined, Stored = undefined>(
  declared: Declaration<Query, Body, Stored>,
): ApiOperation {
  const { body, query, run, record, stores, refusals, ...description } = declared;
  const [method, path] = declared.route.split(" ") as [Method, string];
  return {
    ...description,
    method,
    path,
    refusals: { ...record?.missing, ...(method !== "GET" && stores !== false && diskFull), ...refusals },
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
    serve: (call) => serve(declared, call),
  };
}

function serve<Query, Body, Stored>(declared: Declaration<Query, Body, Stored>, call: Call): Response | Promise<Response> {
  const { audience, route, body, query, run } = declared;
  if (audience === "administrators" && !call.account.admin) throw administratorsOnly();
  const record = declared.record?.find(call) as Stored;
  const given = { ...call, record, query: query?.read(call.request) as Query, body: undefined as Body };
  const asResponse = (outcome: Outcome) => responseOf(declared, call, outcome);
  if (!route.startsWith("GET ")) return serveChange(given, body, run).then(asResponse);
  const outcome = run(given);
  return outcome instanceof Promise ? outcome.then(asResponse) : asResponse(outcome);
}

/** Reads the body if there is one, and runs. */
async function serveChange<Query, Body, Stored>(
  given: Given<Query, Body, Stored>,
  body: RequestBody<Body> | undefined,
  run: Declaration<Query, Body, Stored>["run"],
): Promise<Outcome> {
  if (body === undefined) return refuseFullDisk(async () => run(given));
  const validate = await body.read(given.request);
  assertStillValid(given);
  const valid = validate(given);
  return refuseFullDisk(async () => run({ ...given, body: valid }));
}

/** The token may have been revoked while a slow body arrived. @throws ApiError 401 */
function assertStillValid({ api: { store, now }, bearer }: Call): void {
  if (authenticate(store, bearer, now()).status === "refused") throw unauthenticated();
}

/** @throws ApiError 503 if the disk is full. */
export async function refuseFullDisk<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof DataDirError && error.fault === "full") throw storeFull();
    throw error;
  }
}

function responseOf({ answers }: Description, { requestContext }: Call, outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome;
  const [status] = Object.keys(answers);
  if (status === "204") return answer(requestContext, 204, null);
  if (outcome instanceof JsonAnswer)
    return answer(requestContext, Number(status), JSON.stringify(outcome.body), prepareHeaders(outcome.headers));
  return answer(requestContext, Number(status), JSON.stringify(outcome));
}

/** @throws Error that names a fault of the declarations: the program does not start. */
export function checkedOperations(operations: readonly ApiOperation[]): readonly ApiOperation[] {
  for (const { id, audience, path, params } of operations) {
    if (!audiences.includes(audience)) throw new Error(`The operation ${id} does not declare who may call it.`);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    if (named.join() !== Object.keys(params?.properties ?? {}).join())
      throw new Error(`The operation ${id} does not declare the parameters of ${path}.`);
  }
  // Names of parameters do not distinguish two paths.
  assertDistinct(operations, ({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
  assertDistinct(operations, ({ id }) => id);
  return operations;
}

function assertDistinct(operations: readonly ApiOperation[], keyOf: (operation: ApiOperation) => string): void {
  for (const [key, [first, second]] of Map.groupBy(operations, keyOf))
    if (first !== undefined && second !== undefined)
      throw new Error(`Two operations are declared for ${key}: ${first.id} (${first.route}) and ${second.id} (${second.route}).`);
}

interface OperationRoute {
  readonly method: Method;
  /** Parameters as `:name`. */
  readonly path: string;
  /** Values of parameters that are a part of a segment; null without one. */
  readonly fixed: Readonly<Record<string, string>> | null;
}

/** One route, or one for each value of an enumeration that is a part of a segment: the router knows whole segments only. */
export function routesOf({ method, path, params }: Pick<ApiOperation, "method" | "path" | "params">): readonly OperationRoute[] {
  const part = [...path.matchAll(/\{(\w+)\}/g)].find(
    ({ 0: match, index }) => path[index - 1] !== "/" || path[index + match.length] === ".",
  );
  const pathOf = (each: string) => each.replaceAll(/\{(\w+)\}/g, ":$1");
  if (part === undefined) return [{ method, path: pathOf(path), fixed: null }];
  const [placeholder, name = ""] = part;
  const values: readonly string[] = params?.properties[name]?.enum ?? [];
  return values.map((value) => ({ method, path: pathOf(path.replace(placeholder, value)), fixed: { [name]: value } }));
}
