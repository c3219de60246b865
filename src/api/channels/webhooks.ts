/** What webhooks receive, for the OpenAPI description: a request for each type of event, with schema and example. */

import { type TSchema, Type } from "@sinclair/typebox";
import { dayMs } from "../../base/units.ts";
import { severities } from "../../check/check.ts";
import { retriedForMs } from "../../deliver/pacing.ts";
import { findingUrlsMax, webhookTestType } from "../../deliver/webhook.ts";
import type { EventType } from "../../store/site-events.ts";
import { bands, ranks } from "../../text/render.ts";
import { instantOf, nullable, oneOfValues } from "../schemas.ts";

export type WebhookType = EventType | typeof webhookTestType;

export interface WebhookDescription {
  /** When it is sent. */
  readonly summary: string;
  readonly schema: TSchema;
  readonly example: object;
}

const score = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

const site = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    name: Type.String(),
    url: Type.String({ description: "First address of the site." }),
    client: nullable(Type.String()),
    tags: Type.Array(Type.String()),
  },
  { description: "The site as it was named at the event." },
);
const scan = Type.Object(
  {
    token: Type.String({ description: "Names the scan." }),
    statusUrl: Type.String({ description: "Full report as JSON. A path if the appliance has no public_url." }),
    reportUrl: Type.String({ description: "Report as a page. A path if the appliance has no public_url." }),
  },
  { description: "Scan that showed it." },
);
const finding = Type.Object({
  code: Type.String({ description: "Stable code of the finding." }),
  checkKey: Type.String({ description: "Check that reported it." }),
  severity: oneOfValues(severities),
  urls: Type.Array(Type.String(), {
    maxItems: findingUrlsMax,
    description: "Addresses of the site that have it; shorter than urlCount if they did not fit.",
  }),
  urlCount: Type.Integer({ minimum: 0 }),
});
const findings = {
  findings: Type.Array(finding, { description: "Those at least as severe as the rule of the channel demands." }),
  findingCount: Type.Integer({ minimum: 0, description: "Number of findings, also of those that did not fit." }),
  truncated: Type.Boolean({ description: "Whether findings or addresses are left out, so that the body stays under 20 KB." }),
};

/** Receivers must ignore further fields: a later release may add some. */
function bodySchema(type: WebhookType, data: Readonly<Record<string, TSchema>>): TSchema {
  return Type.Object({
    type: Type.Literal(type),
    timestamp: instantOf("Time of the event. The header webhook-timestamp has the time of the attempt."),
    data: Type.Object({ ...data }),
  });
}

const ofSite = { site, scan: nullable(scan) };
const ofAccount = { site: Type.Null(), scan: nullable(scan) };

const exampleSite = {
  id: 12,
  name: "Bakery Miller",
  url: "https://bakery.example/",
  client: "Miller Ltd",
  tags: ["shop"],
};
const exampleScan = {
  token: "67nIDqqCondMLX7iB8bYxR",
  statusUrl: "https://assay.example/api/v1/scans/67nIDqqCondMLX7iB8bYxR",
  reportUrl: "https://assay.example/scans/67nIDqqCondMLX7iB8bYxR",
};
const exampleFindings = {
  findings: [
    {
      code: "security.missing-header.content-security-policy",
      checkKey: "content-security-policy",
      severity: "high",
      urls: ["https://bakery.example/"],
      urlCount: 1,
    },
  ],
  findingCount: 1,
  truncated: false,
};

function describe(
  type: WebhookType,
  summary: string,
  data: Readonly<Record<string, TSchema>>,
  exampleData: object,
): Readonly<WebhookDescription> {
  return { summary, schema: bodySchema(type, data), example: { type, timestamp: "2026-03-05T09:30:00.000Z", data: exampleData } };
}

const siteExample = (data: object, scanned: object | null = exampleScan) => ({ site: exampleSite, scan: scanned, ...data });

export const webhookSchemas: Readonly<Record<WebhookType, WebhookDescription>> = {
  "site.score_dropped": describe(
    "site.score_dropped",
    "The score of a site fell, and a second scan confirmed it.",
    { ...ofSite, from: score("Score before."), to: score("Score now."), band: oneOfValues(bands), rank: oneOfValues(ranks) },
    siteExample({ from: 88, to: 61, band: "warn", rank: "weak" }),
  ),
  "finding.opened": describe(
    "finding.opened",
    "A site has findings that it did not have, and a second scan confirmed them.",
    { ...ofSite, ...findings },
    siteExample(exampleFindings),
  ),
  "finding.resolved": describe(
    "finding.resolved",
    "Findings of a site are gone, and a second scan confirmed it.",
    { ...ofSite, ...findings },
    siteExample(exampleFindings),
  ),
  "finding.unstable": describe(
    "finding.unstable",
    "Findings come and go too often. They are not reported again until they keep their state for a while.",
    { ...ofSite, ...findings },
    siteExample(exampleFindings),
  ),
  "certificate.expiring": describe(
    "certificate.expiring",
    "The certificate of a site expires soon.",
    { ...ofSite, expiresAt: instantOf("End of its validity."), daysLeft: Type.Integer({ description: "Whole days that are left." }) },
    siteExample({ expiresAt: "2026-03-12T12:00:00.000Z", daysLeft: 7 }),
  ),
  "site.unreachable": describe(
    "site.unreachable",
    "Several scans in a row could not measure the site.",
    {
      ...ofSite,
      since: instantOf("First scan that failed."),
      errorCode: nullable(Type.String({ description: "Why the last scan failed." })),
    },
    siteExample({ since: "2026-03-05T06:30:00.000Z", errorCode: "timeout" }),
  ),
  "site.recovered": describe(
    "site.recovered",
    "A site that was unreachable can be measured again.",
    { ...ofSite, since: instantOf("First scan that had failed.") },
    siteExample({ since: "2026-03-05T06:30:00.000Z" }),
  ),
  "catalog.changed": describe(
    "catalog.changed",
    "The rules of the checks have changed. Scores of before and after do not compare.",
    { ...ofAccount, catalogVersion: Type.String(), algorithmVersion: Type.Integer() },
    { site: null, scan: null, catalogVersion: "9f1c2a7d5e3b", algorithmVersion: 3 },
  ),
  "scan.finished": describe(
    "scan.finished",
    "A scan of the account has ended. Scans by a schedule are left out: their sites report changes.",
    {
      ...ofAccount,
      id: Type.Integer({ minimum: 1, description: "Number of the scan." }),
      url: Type.String({ description: "The scanned URL." }),
      status: oneOfValues(["finished", "failed"]),
      errorCode: nullable(Type.String({ description: "Why it failed." })),
      score: nullable(score("Null when not measured.")),
      band: oneOfValues(bands),
      rank: oneOfValues(ranks),
    },
    {
      site: null,
      scan: exampleScan,
      id: 4711,
      url: "https://bakery.example/",
      status: "finished",
      errorCode: null,
      score: 88,
      band: "good",
      rank: "strong",
    },
  ),
  [webhookTestType]: describe(webhookTestType, "The test button was used.", {}, {}),
};

const header = (name: string, description: string, type: "string" | "integer" = "string") => ({
  name,
  in: "header" as const,
  required: true,
  schema: { type, description },
});

const headers = [
  header("webhook-id", "Names the event. The same on every attempt, so that a receiver can ignore a repetition."),
  header("webhook-timestamp", "Time of the attempt, in seconds since 1970.", "integer"),
  header(
    "webhook-signature",
    "v1, and the base64 of HMAC-SHA256 of id, timestamp and body, joined by dots. Two of them, with a space between, while a secret is rotated.",
  ),
];

const daysOfRetries = Math.round(retriedForMs / dayMs);

const responses = {
  "2XX": { description: "The delivery is done. The body is not read." },
  410: { description: "The channel is disabled." },
  default: {
    description: `Sent again, later and later for about ${daysOfRetries} days, or after Retry-After. Redirects are not followed.`,
  },
};

export const webhookOperations = Object.fromEntries(
  Object.entries(webhookSchemas).map(([type, { summary, schema, example }]) => [
    type,
    {
      post: {
        operationId: type.replaceAll(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase()),
        tags: ["webhooks"],
        summary,
        // The signature takes the place of a token.
        security: [],
        parameters: headers,
        requestBody: { required: true, content: { "application/json": { schema, example } } },
        responses,
      },
    },
  ]),
);
