/** Metrics of this process in the text format of Prometheus. Names have base units; no label holds a URL, a host or an account. */
import { readdirSync, readFileSync } from "node:fs";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { tryOr } from "../base/try-or.ts";

export interface Metrics {
  readonly registry: Registry;
  readonly contentType: string;
  /** All families as text. */
  text(): Promise<string>;
}

/** Registry with the metrics that every process has. */
export function openMetrics({ version }: { readonly version: string }): Metrics {
  const registry = new Registry();
  const build = { name: "assay_build_info", help: "Release of this process; the value is always 1.", labelNames: ["version"] };
  new Gauge({ ...build, registers: [registry] }).set({ version }, 1);
  addProcessMetrics(registry);
  return { registry, contentType: registry.contentType, text: () => registry.metrics() };
}

/** Gauge whose value is read at each request. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

export type GaugeRow = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Gauge with one series for each row, read at each request. A label may hold only a bounded set of values. */
export function addLabelledGauge(
  registry: Registry,
  { name, help, labelNames }: { readonly name: string; readonly help: string; readonly labelNames: readonly string[] },
  read: () => readonly GaugeRow[],
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });
}

/** The default metrics of prom-client read figures of Node's engine, which Bun does not have. */
function addProcessMetrics(registry: Registry): void {
  const startedAtSeconds = Math.floor(performance.timeOrigin / 1_000);
  const cpu = { name: "process_cpu_seconds_total", help: "CPU time of the process, user and system." };
  new Counter({
    ...cpu,
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  addGauge(registry, "process_start_time_seconds", "Start of the process since the Unix epoch.", () => startedAtSeconds);
  addGauge(registry, "process_resident_memory_bytes", "Resident memory of the process, without its browsers.", () =>
    process.memoryUsage.rss(),
  );
  // NaN where /proc is not mounted.
  const ofProc = (read: () => number) => () => tryOr(read, Number.NaN);
  const openFiles = ofProc(() => readdirSync("/proc/self/fd").length);
  addGauge(registry, "process_open_fds", "Open file descriptors of the process.", openFiles);
  addGauge(registry, "process_max_fds", "Limit of open file descriptors.", ofProc(fileDescriptorsMax));
}

function fileDescriptorsMax(): number {
  return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? Number.NaN);
}

const deliveryKinds = ["mail", "webhook", "slack", "teams", "discord", "mattermost", "ntfy"] as const;
/** `retried`: the attempt failed and another one follows. `failed`: given up. `gone`: the receiver wants no further ones. */
const deliveryResults = ["delivered", "retried", "failed", "gone"] as const;

export interface DeliveryMetrics {
  attempted(kind: (typeof deliveryKinds)[number], result: (typeof deliveryResults)[number]): void;
}

/** `waiting` is read at each scrape. All series exist from the start. */
export function createDeliveryMetrics(registry: Registry, waiting: () => number): DeliveryMetrics {
  const deliveries = new Counter({
    name: "assay_deliveries_total",
    help: "Attempts to deliver events to channels, by result.",
    labelNames: ["kind", "result"],
    registers: [registry],
  });
  for (const kind of deliveryKinds) for (const result of deliveryResults) deliveries.inc({ kind, result }, 0);
  addGauge(registry, "assay_deliveries_waiting", "Deliveries that wait for their first or next attempt.", waiting);
  return { attempted: (kind, result) => deliveries.inc({ kind, result }) };
}

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
