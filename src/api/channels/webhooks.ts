/** What webhooks receive, for the OpenAPI description: a request for each type of event, with schema and example. */

import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { dayMs } from "../../base/units.ts";
import { retriedForMs } from "../../channels/pacing.ts";
import { findingUrlsMax, webhookTestType } from "../../channels/webhook.ts";
import { severities } from "../../check/check.ts";
import type { EventType } from "../../store/site-events.ts";
import { bands, ranks } from "../../text/render.ts";
import { exampleToken, statusUrlOf } from "../scans/reads.ts";
import { example, exampleOf, instantOf, nullable, nullExample, oneOfValues, scoreField } from "../schemas.ts";
import { eventSite } from "./deliveries.ts";

export type WebhookType = EventType | typeof webhookTestType;

const host = "https://assay.example";
const time = "2026-03-05T06:30:00.000Z";

const site = Type.Object(
  { ...eventSite, url: Type.String({ description: "First address of the site.", [example]: exampleOf(eventSite.url) }) },
  { description: "The site as it was named at the event." },
);
const scan = Type.Object(
  {
    token: Type.String({ description: "Names the scan.", [example]: exampleToken }),
    statusUrl: Type.String({
      description: "Full report as JSON. A path if the appliance has no public_url.",
      [example]: `${host}${statusUrlOf(exampleToken)}`,
    }),
    reportUrl: Type.String({
      description: "Report as a page. A path if the appliance has no public_url.",
      [example]: `${host}/scans/${exampleToken}`,
    }),
  },
  { description: "Scan that showed it." },
);
const finding = Type.Object({
  code: Type.String({ description: "Stable code of the finding.", [example]: "security.missing-header.content-security-policy" }),
  checkKey: Type.String({ description: "Check that reported it.", [example]: "content-security-policy" }),
  severity: oneOfValues(severities, { [example]: "high" }),
  urls: Type.Array(Type.String({ [example]: "https://bakery.example/" }), {
    maxItems: findingUrlsMax,
    description: "Addresses of the site that have it; shorter than urlCount if they did not fit.",
  }),
  urlCount: Type.Integer({ minimum: 0, [example]: 1 }),
});

const ofSite = { site, scan: nullable(scan) };
const ofAccount = { site: Type.Null(), scan: nullable(scan) };
const ofFindings = {
  ...ofSite,
  findings: Type.Array(finding, { description: "Those at least as severe as the rule of the channel demands." }),
  findingCount: Type.Integer({ minimum: 0, description: "Number of findings, also of those that did not fit.", [example]: 1 }),
  truncated: Type.Boolean({
    description: "Whether findings or addresses are left out, so that the body stays under 20 KB.",
    [example]: false,
  }),
};

const shownPage = Type.Object({
  url: Type.String({ description: "After redirects, without query.", [example]: "https://bakery.example/login" }),
  title: Type.String({ [example]: "Sign in" }),
  asksPassword: Type.Boolean({ [example]: true }),
});
const page = Type.Optional(
  Type.Object(
    { from: shownPage, to: shownPage },
    { description: "Only if the first address shows another page than the one that the site is known by: this page is the cause." },
  ),
);

/** When each type is sent, and the data of its body. */
const descriptions: Readonly<Record<WebhookType, readonly [summary: string, data: TProperties]>> = {
  "site.score_dropped": [
    "The score of a site fell, and a second scan confirmed it.",
    {
      ...ofSite,
      from: scoreField("Score before.", 88),
      to: scoreField("Score now.", 61),
      band: oneOfValues(bands, { [example]: "warn" }),
      rank: oneOfValues(ranks, { [example]: "weak" }),
      page,
    },
  ],
  "finding.opened": ["A site has findings that it did not have, and a second scan confirmed them.", { ...ofFindings, page }],
  "finding.resolved": ["Findings of a site are gone: their checks passed on the page that the site is known by.", ofFindings],
  "finding.unstable": ["Findings come and go too often. They are not reported again until they keep their state for a while.", ofFindings],
  "certificate.expiring": [
    "The certificate of a site expires soon.",
    {
      ...ofSite,
      expiresAt: instantOf("End of its validity.", "2026-03-12T12:00:00.000Z"),
      daysLeft: Type.Integer({ description: "Whole days that are left.", [example]: 7 }),
    },
  ],
  "site.unreachable": [
    "Several scans in a row could not measure the site.",
    {
      ...ofSite,
      since: instantOf("First scan that failed.", time),
      errorCode: nullable(
        Type.String({ description: "Why the last scan failed, or had no page to measure, such as `server-error`.", [example]: "timeout" }),
      ),
      leadsTo: Type.Optional(
        Type.String({ description: "Host of another site to which the address leads now.", [example]: "parked.example" }),
      ),
    },
  ],
  "site.recovered": [
    "A site that was unreachable can be measured again.",
    { ...ofSite, since: instantOf("First scan that had failed.", time) },
  ],
  "policy.broken": [
    "The planned headers of a site break its page, which they did not do before, and a second look confirmed it. The site itself is not affected.",
    {
      ...ofSite,
      url: Type.String({ description: "Address of the site on which they were tried.", [example]: "https://bakery.example/" }),
      since: instantOf("First try that showed it.", time),
      blocked: Type.Array(
        Type.Object({
          directive: Type.String({ description: "As the browser names it.", [example]: "script-src-elem" }),
          url: nullable(
            Type.String({ description: "What was to be loaded, without query; null for code.", [example]: "https://cdn.example/new.js" }),
          ),
          kind: oneOfValues(["url", "inline", "eval", "wasm-eval", "trusted-types"], { [example]: "url" }),
        }),
        { description: "What the headers block: at most ten things." },
      ),
      blockedDropped: Type.Integer({ minimum: 0, description: "Number of further things that are blocked.", [example]: 0 }),
    },
  ],
  "policy.recovered": [
    "The planned headers of a site, which broke its page, work again.",
    {
      ...ofSite,
      url: Type.String({ description: "Address of the site on which they were tried.", [example]: "https://bakery.example/" }),
      since: instantOf("First try that had shown it broken.", time),
    },
  ],
  "catalog.changed": [
    "The rules of the checks have changed, and the sites have new scores to compare with. Sent once, after the first runs. Scores of before and after do not compare.",
    {
      ...ofAccount,
      scan: nullable(scan, nullExample),
      catalogVersion: Type.String({ [example]: "9f1c2a7d5e3b" }),
      algorithmVersion: Type.Integer({ [example]: 3 }),
      sites: Type.Integer({ minimum: 0, description: "Sites that were measured by the new rules.", [example]: 60 }),
      changed: Type.Integer({ minimum: 0, description: "Sites among them whose score is another one.", [example]: 41 }),
      largestChange: nullable(
        Type.Object({
          site: Type.Pick(site, ["id", "name", "url"], { description: "The site whose score changed most." }),
          from: scoreField("Score by the former rules.", 99),
          to: scoreField("Score by the new rules.", 87),
        }),
      ),
    },
  ],
  "scan.finished": [
    "A scan of the account has ended. Scans by a schedule are left out: their sites report changes.",
    {
      ...ofAccount,
      id: Type.Integer({ minimum: 1, description: "Number of the scan.", [example]: 4711 }),
      url: Type.String({ description: "The scanned URL.", [example]: "https://bakery.example/" }),
      status: oneOfValues(["finished", "failed"], { [example]: "finished" }),
      errorCode: nullable(Type.String({ description: "Why it failed." }), nullExample),
      score: nullable(scoreField("Null when not measured.", 88)),
      band: oneOfValues(bands, { [example]: "good" }),
      rank: oneOfValues(ranks, { [example]: "strong" }),
    },
  ],
  "proof.finished": [
    "A proof of the account has ended.",
    {
      ...ofAccount,
      scan: Type.Null(),
      proof: Type.Object({
        token: Type.String({ [example]: exampleToken }),
        statusUrl: Type.String({ description: "The proof in the API.", [example]: `${host}/api/v1/proofs/${exampleToken}` }),
        reportUrl: Type.String({ description: "The proof as a page.", [example]: `${host}/proofs/${exampleToken}` }),
      }),
      id: Type.Integer({ minimum: 1, description: "Number of the proof.", [example]: 4712 }),
      url: Type.String({ description: "The first page.", [example]: "https://bakery.example/" }),
      pages: Type.Integer({ minimum: 1, description: "Number of pages.", [example]: 1 }),
      status: oneOfValues(["finished", "failed"], { [example]: "finished" }),
      errorCode: nullable(Type.String({ description: "Why it failed." }), nullExample),
      verdict: nullable(Type.String({ description: "As in Proof; null if it failed.", [example]: "works" })),
      proven: Type.Boolean({ description: "Whether the headers break nothing, and no injected code runs.", [example]: true }),
    },
  ],
  [webhookTestType]: ["The test button was used.", {}],
};

/** Body of a request. Receivers must ignore further fields: a later release may add some. */
function bodySchema(type: string, data: TProperties): TSchema {
  return Type.Object({
    type: Type.Literal(type),
    timestamp: instantOf("Time of the event. The header webhook-timestamp has the time of the attempt.", "2026-03-05T09:30:00.000Z"),
    data: Type.Object(data),
  });
}

export const webhookSchemas = Object.fromEntries(
  Object.entries(descriptions).map(([type, [summary, data]]) => {
    const schema = bodySchema(type, data);
    return [type, { summary, schema, example: exampleOf(schema) as object }];
  }),
) as Readonly<Record<WebhookType, { readonly summary: string; readonly schema: TSchema; readonly example: object }>>;

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
  Object.entries(webhookSchemas).map(([type, { summary, ...body }]) => [
    type,
    {
      post: {
        operationId: type.replaceAll(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase()),
        tags: ["webhooks"],
        summary,
        // The signature takes the place of a token.
        security: [],
        parameters: headers,
        requestBody: { required: true, content: { "application/json": body } },
        responses,
      },
    },
  ]),
);
