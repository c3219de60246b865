/** Calls of the API about sites and notifications, with JSON in and out. */
import { type ApiUnderTest, startApi } from "./api.ts";

/** Fields that tests read; an answer has some of them. */
export interface AnswerBody {
  readonly errorMessage: string;
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly items: readonly AnswerItem[];
  readonly nextCursor: string | null;
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly url: string;
  readonly target: string;
  readonly reason: string;
  readonly until: string | null;
  readonly accepted: readonly object[];
  readonly nextRunAt: string | null;
  readonly nextRuns: readonly string[];
  readonly run: object | null;
  readonly scans: readonly { readonly url: string; readonly token: string; readonly statusUrl: string }[];
  readonly secret: string | null;
  readonly token: string;
  readonly secretCount: number;
  readonly ruleCount: number;
  readonly severityMin: string;
  readonly confirmation: string | null;
  readonly verifiedAt: string | null;
  readonly state: string;
  readonly events: readonly AnswerItem[];
}

export interface AnswerItem {
  readonly id: number;
  readonly ruleCount: number;
  readonly index: number;
  readonly line: number | null;
  readonly url: string | null;
  readonly score: number;
  readonly token: string;
  readonly statusUrl: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly site?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly status: number; readonly errorMessage: string; readonly fieldErrors?: object };
}

export interface AccountAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty without one. */
  readonly body: AnswerBody;
}

export interface AccountClient {
  readonly accountId: number;
  readonly email: string;
  readonly token: string;
  /** `body`: an object becomes JSON, a text is sent as it is. */
  call(method: string, path: string, body?: object | string, headers?: Record<string, string>): Promise<AccountAnswer>;
  revoke(): Promise<unknown>;
}

/** API without a rate limit that tests would reach. */
export function startAccountApi(settings: Parameters<typeof startApi>[0] = {}): Promise<ApiUnderTest> {
  return startApi({ requestLimit: { requestsMax: 100_000, windowSeconds: 60 }, ...settings });
}

/** The first account of the store, whose id is 1, becomes a viewer of the account's sites. */
export async function addViewer(api: ApiUnderTest, { accountId }: Pick<AccountClient, "accountId">): Promise<void> {
  const invited = await api.store.members.invite({ ownerId: accountId, email: "first@assay.test", role: "viewer" }, new Date());
  if (typeof invited === "string") throw new Error(invited);
  await api.store.members.accept(invited.value, 1, new Date());
}

export async function accountClient(api: ApiUnderTest): Promise<AccountClient> {
  const { accountId, email, token, revoke } = await api.customer();
  return {
    accountId,
    email,
    token,
    revoke,
    async call(method, path, body, headers = {}) {
      const response = await api.request(`/api/v1${path}`, {
        method,
        token,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: JSON.parse(text === "" ? "{}" : text) as AnswerBody };
    },
  };
}
