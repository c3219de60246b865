/** Health and metrics of a worker over HTTP: `/healthz`, `/readyz` and `/metrics`. */
import { Elysia } from "elysia";
import type { Readiness } from "../api/health.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { metricsAnswer } from "./metrics-endpoint.ts";

export interface WorkerHealthOptions {
  readonly ready: () => Readiness;
  readonly metrics: Metrics;
}

const headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

const nothingHere = { errorMessage: "There is nothing here: /healthz, /readyz and /metrics are served." };

/** The bodies are those of the server's probes. */
export function createWorkerHealth({ ready, metrics }: WorkerHealthOptions) {
  return new Elysia({ name: "worker-health", strictPath: true, normalize: false, handler: { standardHostname: false } })
    .onError(({ code }) => (code === "NOT_FOUND" ? json(404, nothingHere) : undefined))
    .get("/healthz", () => json(200, { status: "ok" }))
    .get("/readyz", () => {
      const readiness = ready();
      if (readiness.ready) return json(200, { status: "ok" });
      const { reasons } = readiness;
      return json(503, { errorMessage: `Not ready: ${reasons.map(({ because }) => because).join("; ")}.`, reasons });
    })
    .get("/metrics", () => metricsAnswer(metrics));
}

function json(status: number, body: object): Response {
  return Response.json(body, { status, headers });
}
