/** API client of a running server. */
import type { SecurityResult } from "../../src/text/render.ts";

export interface ApiClient {
  /** Token of the new scan; null if refused or without response. `idempotencyKey`: visible ASCII characters. */
  start(url: string, idempotencyKey?: string): Promise<string | null>;
  /** Response as JSON, with its status. */
  get<T>(path: string): Promise<{ readonly status: number; readonly body: T }>;
  /** Polls until the scan ends. @throws Error after `ms`. */
  ended(token: string, ms: number): Promise<SecurityResult>;
}

const pollMs = 100;

export function apiClient(baseUrl: string, apiToken: string): ApiClient {
  const headers = { authorization: `Bearer ${apiToken}`, "content-type": "application/json" };
  const get: ApiClient["get"] = async (path) => {
    const response = await fetch(baseUrl + path, { headers });
    return { status: response.status, body: await response.json() };
  };
  return {
    start: async (url, idempotencyKey) => {
      try {
        const response = await fetch(`${baseUrl}/api/v1/scans`, {
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
    ended: async (token, ms) => {
      const deadline = Date.now() + ms;
      for (;;) {
        const { status, body } = await get<SecurityResult>(`/api/v1/scans/${token}/security`);
        if (status !== 200) throw new Error(`scan ${token}: ${status}`);
        if (body.status === "finished" || body.status === "failed") return body;
        if (Date.now() > deadline) throw new Error(`scan ${token} is still ${body.status} (${body.progressStage})`);
        await Bun.sleep(pollMs);
      }
    },
  };
}
