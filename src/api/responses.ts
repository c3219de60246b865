/** Parts of declarations that the OpenAPI description shows: answers, refusals and parameters. */
import type { TSchema } from "@sinclair/typebox";
import { type FieldErrors, queueFull, type RecordKind, recordNotFound, storeFull } from "./errors.ts";
import { invalidListQuery } from "./queries.ts";
import { ErrorBody, exampleOf } from "./schemas.ts";

/** Schemas by media type. A schema without a name is shown as the schema of a file. */
export type ResponseContent = Readonly<Record<string, { readonly schema: TSchema | object; readonly example?: unknown }>>;

export interface Described {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: ResponseContent;
}

/** By status. */
export type Responses = Readonly<Record<number, Described>>;

export const retryAfter = { "Retry-After": { $ref: "#/components/headers/Retry-After" } };
export const locationHeader = (of: string) => ({ Location: { description: `Path of the ${of}.`, schema: { type: "string" } } });
/** A body that is a file. */
export const files = (...mediaTypes: readonly string[]): ResponseContent =>
  Object.fromEntries(mediaTypes.map((each) => [each, { schema: {} }]));

const jsonOf = (schema: TSchema, example: unknown): ResponseContent => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

/** Answer with a body. Its example shows the examples of the fields, if `shown` has no other. */
export function answered(description: string, body: TSchema, headers = {}, shown = exampleOf(body)): Described {
  return { description, headers, content: jsonOf(body, shown) };
}

/** Refusal, with an example of its body if there is a message. `fields`: its fieldErrors. */
export function refused(description: string, errorMessage?: string, fields?: FieldErrors, headers = {}): Described {
  const example = fields === undefined ? { errorMessage } : { errorMessage, fieldErrors: fields };
  return { description, headers, content: jsonOf(ErrorBody, errorMessage === undefined ? undefined : example) };
}

/** Refusal of a field of the body, or of its value. */
export function badField(description: string, field: string, text: string): { readonly 400: Described } {
  return { 400: refused(description, `${field} ${text}.`, { [field]: [text] }) };
}

export const badBody = "The body is not valid, and fieldErrors says why. Unknown fields are refused.";
export const unknownRecord = (of: RecordKind): Responses => ({
  404: refused(`There is no such ${of}, or it is another account's: both answer alike.`, recordNotFound(of).message),
});
export const badListQuery: Responses = {
  400: refused("A parameter is not valid.", invalidListQuery().message),
};
export const diskFull: Responses = { 503: refused("The disk is full. Nothing was stored.", storeFull().message, undefined, retryAfter) };
export const noSpace = (description: string): Responses => ({ 503: refused(description, queueFull().message, undefined, retryAfter) });
export const notModified: Responses = { 304: { description: "The body is the one whose ETag came in If-None-Match." } };

/** 413 of a body with a limit. */
export function tooLong(bytesMax: number): Responses {
  const text = `The body is longer than ${bytesMax} bytes.`;
  return { 413: refused(text, text) };
}

/** Possible for every request of an account. */
export const commonRefusals: Responses = {
  401: refused("The Authorization header is absent or malformed, or its token is unknown, revoked, expired or of a disabled account."),
  403: refused("The account's plan does not include API access."),
  429: refused("Too many requests in this minute, counted per account and calling address.", undefined, undefined, retryAfter),
};
