/** Metrics of deliveries to the channels of accounts. */
import { Counter, type Registry } from "prom-client";
import { addGauge } from "./metrics.ts";

const deliveryKinds = ["mail", "webhook"] as const;
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
