/** API client of a running server. */
import type { SecurityResult } from "../../src/text/render.ts";

export interface ApiClient {
  /** Token of the new scan; null if refused or without response. `idempotencyKey`: visible ASCII characters. */
  start(url: string, idempotencyKey?: string): Promise<string | null>;
  /** Response to a JSON body, with its status. */
  post<T>(path: string, body: object): Promise<{ readonly status: number; readonly body: T }>;
  /** Response as JSON, with its status. */
  get<T>(path: string): Promise<{ readonly status: number; readonly body: T }>;
  /** Polls until the scan ends. @throws Error after `ms`. */
  ended(token: string, ms: number): Promise<SecurityResult>;
}

/** A scan is asked for after a tenth of the time that it has taken, within these limits: the API allows 60 requests a minute. */
const pollMsMin = 100;
const pollMsMax = 2_000;
/** Answers 429 in succession to one request, after which the test gets the last one. */
const refusalsMax = 10;

export function apiClient(baseUrl: string, apiToken: string): ApiClient {
  const headers = { authorization: `Bearer ${apiToken}`, "content-type": "application/json" };
  const get: ApiClient["get"] = async (path) => {
    const response = await patientFetch(baseUrl + path, { headers });
    return { status: response.status, body: await response.json() };
  };
  return {
    start: async (url, idempotencyKey) => {
      try {
        const response = await patientFetch(`${baseUrl}/api/v1/scans`, {
          method: "POST",
          headers: idempotencyKey === undefined ? headers : { ...headers, "idempotency-key": idempotencyKey },
          body: JSON.stringify({ url }),
        });
        return response.status === 202 ? ((await response.json()) as { token: string }).token : null;
      } catch {
        return null;
      }
    },
    get,
    post: async (path, body) => {
      const response = await patientFetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    },
    ended: async (token, ms) => {
      const since = Date.now();
      for (;;) {
        const { status, body } = await get<SecurityResult>(`/api/v1/scans/${token}/security`);
        if (status !== 200) throw new Error(`scan ${token}: ${status}`);
        if (body.status === "finished" || body.status === "failed") return body;
        const tookMs = Date.now() - since;
        if (tookMs > ms) throw new Error(`scan ${token} is still ${body.status} (${body.progressStage})`);
        await Bun.sleep(Math.min(Math.max(tookMs / 10, pollMsMin), pollMsMax));
      }
    },
  };
}

/** Repeats a request that the rate limit refused, once the server allows it. */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  for (let refusals = 1; ; refusals++) {
    const response = await fetch(url, init);
    const retryAfterSeconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    if (response.status !== 429 || Number.isNaN(retryAfterSeconds) || refusals > refusalsMax) return response;
    await response.body?.cancel();
    await Bun.sleep(retryAfterSeconds * 1_000);
  }
}
