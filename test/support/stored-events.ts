/** One stored event of each type. */
import type { EventFinding, EventSite, NewEvent, PageChange, StoredEvent } from "../../src/store/site-events.ts";

export const eventSite: EventSite = { id: 7, name: "Bakery", url: "https://bakery.example/", client: "Miller", tags: ["shop"] };
const token = "67nIDqqCondMLX7iB8bYxR";
const at = "2026-03-05T09:30:00.000Z";
let seq = 0;

export function storedEvent(event: NewEvent, given: Partial<Omit<StoredEvent, "type" | "data">> = {}): StoredEvent {
  seq += 1;
  return { ...event, id: `evt_${String(seq).padStart(22, "0")}`, seq, accountId: 1, at, site: eventSite, ...given };
}

const eventFindings: readonly EventFinding[] = [
  {
    code: "security.missing-header.content-security-policy",
    checkKey: "content-security-policy",
    severity: "high",
    urls: ["https://bakery.example/"],
  },
];

const otherPage: PageChange = {
  from: { url: "https://bakery.example/", title: "Bakery", asksPassword: false },
  to: { url: "https://bakery.example/login", title: "Sign in", asksPassword: true },
};

export const newEvents: readonly NewEvent[] = [
  { type: "site.score_dropped", token, data: { from: 88, to: 61, band: "warn", rank: "weak", page: otherPage } },
  { type: "finding.opened", token, data: { findings: eventFindings, page: otherPage } },
  { type: "finding.resolved", token, data: { findings: eventFindings } },
  { type: "finding.unstable", token, data: { findings: eventFindings } },
  { type: "certificate.expiring", token, data: { expiresAt: "2026-03-12T12:00:00.000Z", daysLeft: 7 } },
  { type: "site.unreachable", token, data: { since: at, errorCode: "timeout", leadsTo: "parked.example" } },
  { type: "site.recovered", token, data: { since: at } },
  {
    type: "policy.broken",
    token,
    data: {
      ...{ url: "https://bakery.example/", since: at, blockedDropped: 2 },
      blocked: [{ directive: "script-src-elem", url: null, kind: "inline" }],
    },
  },
  { type: "policy.recovered", token, data: { url: "https://bakery.example/", since: at } },
  {
    type: "catalog.changed",
    token: null,
    data: {
      ...{ catalogVersion: "9f1c2a7d5e3b", algorithmVersion: 3, sites: 60, changed: 41 },
      largestChange: { site: { id: 1, name: "Bakery", url: "https://bakery.example/" }, from: 99, to: 87 },
    },
  },
  {
    type: "scan.finished",
    token,
    data: { token, id: 4_711, url: "https://other.example/", status: "finished", errorCode: null, score: 88, band: "good", rank: "strong" },
  },
  {
    type: "proof.finished",
    token: null,
    data: {
      token,
      id: 4_712,
      url: "https://other.example/",
      pages: 1,
      status: "finished",
      errorCode: null,
      verdict: "works",
      proven: true,
    },
  },
];

export const storedEvents: readonly StoredEvent[] = newEvents.map((event) =>
  storedEvent(event, ["catalog.changed", "scan.finished", "proof.finished"].includes(event.type) ? { site: null } : {}),
);
