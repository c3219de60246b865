/** Refusals of requests about sites and notifications, and the wording of faults of fields. */

import { localLocation } from "../../parse/location.ts";
import { scanUrlFaults } from "../../parse/scan-url.ts";
import type { CsvFault, CsvLineFault } from "../../parse/site-csv.ts";
import { csvBytesMax, csvSitesMax } from "../../parse/site-csv.ts";
import { scheduleIntervals } from "../../parse/site-schedule.ts";
import type { SiteFault, SiteFaultCode } from "../../sites/site-fields.ts";
import type { StartRunRefusal } from "../../store/site-runs.ts";
import { ApiError, type FieldErrors, invalidBody, invalidFields, queueFull } from "../errors.ts";
import { queueRetrySeconds } from "../writing.ts";

/** The same for an unknown one and for that of another account. */
export function recordNotFound(
  kind: "site" | "channel" | "rule" | "delivery" | "acceptance" | "member" | "invitation" | "client" | "token",
): ApiError {
  return new ApiError(404, `There is no such ${kind}.`);
}

export function sitesExceeded(plan: string, sitesMax: number): ApiError {
  return new ApiError(
    403,
    `The plan "${plan}" has at most ${sitesMax} sites. Remove one, or ask an administrator of this appliance for another plan.`,
  );
}

export function siteUrlTaken(): ApiError {
  return new ApiError(409, "The account watches this url already.", { fieldErrors: { url: ["is watched already"] } });
}

/** Why a run by hand was not started. */
export function runRefused(refusal: StartRunRefusal): ApiError {
  if (refusal === "unknown") return recordNotFound("site");
  if (refusal === "full") return queueFull(queueRetrySeconds);
  return new ApiError(409, "A run of this site is under way; wait for its end.");
}

/** `what`: in the plural. */
export function recordsExceeded(what: string, max: number): ApiError {
  return new ApiError(409, `There are at most ${max} ${what}; remove one first.`);
}

export function mailNotConfigured(): ApiError {
  return new ApiError(409, "This appliance cannot send mail: its operator has not set smtp.url.");
}

/** `because`: a sentence. */
export function channelRefused(because: string): ApiError {
  return new ApiError(409, because);
}

export function deliveryNotRetried(state: string): ApiError {
  return new ApiError(409, `The delivery is ${state}; only one that failed or was dropped can be sent again.`);
}

/** Tests of channels, and mails of confirmation. */
export function tooManyMessages(retryAfterSeconds: number): ApiError {
  return new ApiError(429, "Too many such messages in this hour; try again later.", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

export function invalidCsv(fault: CsvFault): ApiError {
  const texts: Readonly<Record<CsvFault, string>> = {
    "too-large": `is longer than ${csvBytesMax} characters`,
    "too-many-lines": `has more than ${csvSitesMax} lines with a site`,
    empty: "has no line with a site",
  };
  return invalidBody(texts[fault], "sites");
}

export function csvLineFaultText(fault: CsvLineFault): string {
  const texts: Readonly<Record<CsvLineFault, string>> = {
    "quote-open": "has a quoted cell that does not end on this line",
    "quote-text": "has text after the quote that ends a cell",
    "too-many-cells": "has more cells than there are columns",
    "too-long": "is too long",
  };
  return `The line ${texts[fault]}.`;
}

export interface FaultWording {
  /** Names of locations besides the server's own. */
  readonly locations: readonly string[];
}

/** @throws ApiError 400 always. */
export function refuseFaults(faults: readonly SiteFault[], wording: FaultWording): never {
  throw invalidFields(fieldErrorsOf(faults, wording));
}

export function fieldErrorsOf(faults: readonly SiteFault[], wording: FaultWording): FieldErrors {
  const byField = Map.groupBy(faults, ({ field }) => field);
  return Object.fromEntries([...byField].map(([field, ofField]) => [field, ofField.map((fault) => faultText(fault, wording))]));
}

function faultText(fault: SiteFault, { locations }: FaultWording): string {
  const { code, max = 0, entry } = fault;
  const text = code === "url-invalid" ? scanUrlFaults[fault.fault ?? "invalid"] : faultTexts[code];
  const filled = text.replace("{max}", String(max)).replace("{locations}", [localLocation, ...locations].join(", "));
  return entry === undefined ? filled : `${filled} (entry ${entry})`;
}

/** Complete the name of the field. */
const faultTexts: Readonly<Record<Exclude<SiteFaultCode, "url-invalid">, string>> = {
  required: "is required",
  "not-text": "must be a string",
  "not-list": "must be a list of strings",
  "not-switch": "must be true or false",
  characters: "must not contain control characters or line breaks",
  "too-long": "must be at most {max} characters long",
  "too-many": "must have at most {max} entries",
  "origin-differs": "must have addresses of the same scheme, host and port as url",
  repeated: "must not repeat an address of the site",
  "tag-separator": "must not contain one of the characters , ; |",
  "unknown-location": "must be one of {locations}",
  "code-malformed": "must be the code of a finding, such as security.missing-header.content-security-policy",
  "day-malformed": "must be a day such as 2027-03-01, or null",
  "day-past": "must not be in the past",
  "both-forms": "must have either every, or cron with zone, and nothing else",
  "unknown-interval": `must have every with one of ${scheduleIntervals.join(", ")}, or cron with zone`,
  "zone-unknown": "must have a zone of the IANA database, such as Europe/Berlin",
  "cron-malformed": "must have a cron pattern of five fields, such as 0 3 * * 1",
  "too-often": "must leave at least an hour between two runs",
  "never-runs": "must have a cron pattern that some date matches",
};
