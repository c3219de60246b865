/** Metrics of the requests to this server. */
import { Histogram, type Registry } from "prom-client";

/** Seconds. Most answers take less than a millisecond; those that wait for a disk or an export take more. */
const requestBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/** Returns the function that counts one request. `route` must be one of a fixed set of names. */
export function createHttpMetrics(registry: Registry): (route: string, status: number, seconds: number) => void {
  const durations = new Histogram({
    name: "assay_http_request_duration_seconds",
    help: "Time until the answer to a request begins, by route and status code.",
    labelNames: ["route", "code"],
    buckets: requestBuckets,
    registers: [registry],
  });
  return (route, status, seconds) => durations.observe({ route, code: status }, seconds);
}
