/** Scan in which every site-controlled string is hostile. */
import type { Evidence, Reading } from "../../src/evidence/evidence.ts";
import { type KnownScan, knownScans } from "./finished-scans.ts";

/** Characters that change the direction or are invisible. */
const invisible = "\u202e\u2066\u200f\u0000\u001b\u200b\u00ad\ufeff\u{e0041}";
/** Markup, our own marks, placeholders, and a line break with a line to paste. */
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'${invisible}\ue000\ue001{{host}}$t(checks)&lt;\r\nnginx: rm -rf /;`;

/** Fields with our own values: states, kinds, instants and parsed names. */
const ownFields = new Set([
  "status",
  "because",
  "scannedAt",
  "host",
  "registrableDomain",
  "validFrom",
  "validTo",
  "type",
  "kind",
  "outcome",
  "certificateTransparency",
  "unavailableBecause",
  "stoppedBecause",
  "versions",
  "advisoriesDate",
  "listDate",
  "decidedBy",
  "detectedBy",
  "weakSuites",
  "dhe",
  "weakCurves",
  "hybrid",
  "zone",
]);

function poisoned(value: unknown, name = ""): unknown {
  if (ownFields.has(name)) return value;
  if (typeof value === "string") return `${hostile}${value}`;
  if (Array.isArray(value)) return value.map((each) => poisoned(each, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, poisoned(part, key)]));
}

function poisonedReadings({ subject, ...readings }: Evidence): Evidence {
  const entries = Object.entries(readings as Record<string, Reading<unknown>>).map(([name, reading]) => [
    name,
    reading.status === "read" ? { status: "read", facts: poisoned(reading.facts) } : reading,
  ]);
  return { subject, ...Object.fromEntries(entries) } as Evidence;
}

/** Based on the bare site, which has nearly every finding and reading. */
export function poisonedScan(): KnownScan {
  const { evidence, result } = knownScans.bare;
  const findings = result.findings.map((finding) => {
    const values = Object.entries(finding.values).map(([name, value]) => [name, typeof value === "string" ? hostile : value]);
    return { ...finding, values: Object.fromEntries(values) };
  });
  return { evidence: poisonedReadings(evidence), result: { ...result, findings } };
}
