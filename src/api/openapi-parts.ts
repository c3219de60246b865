/** Parts that operations of the OpenAPI description share. */
import type { ModelName } from "./models.ts";

export const json = (name: ModelName) => ({ "application/json": { schema: { $ref: `#/components/schemas/${name}` } } });
export const retryAfter = { "Retry-After": { $ref: "#/components/headers/Retry-After" } };
export const error = (description: string, headers = {}) => ({ description, headers, content: json("Error") });

/** Path parameters are required, query parameters are not. */
export function parameters(place: "path" | "query", schema: { readonly properties: Readonly<Record<string, object>> }) {
  return Object.entries(schema.properties).map(([name, each]) => ({ name, in: place, required: place === "path", schema: each }));
}

/** Possible for every request under /api/v1. */
export const refusals = {
  401: error("The Authorization header is absent or malformed, or its token is unknown, revoked, expired or of a disabled account."),
  403: error("The account's plan does not include API access."),
  429: error("Too many requests in this minute, counted per account and calling address.", retryAfter),
};

/** JSON of a body with an example of it. */
export function jsonExample(name: ModelName, example: unknown) {
  const [[mediaType, content]] = Object.entries(json(name)) as [[string, { schema: { $ref: string } }]];
  return { [mediaType]: { ...content, example } };
}

/** Answer with a body. */
export function given(description: string, name: ModelName, example: unknown, headers = {}) {
  return { description, headers, content: jsonExample(name, example) };
}

/** Refusal with an example of its body. `fields`: its fieldErrors. */
export function refused(description: string, errorMessage: string, fields?: Readonly<Record<string, readonly string[]>>, headers = {}) {
  const example = fields === undefined ? { errorMessage } : { errorMessage, fieldErrors: fields };
  return { description, headers, content: jsonExample("Error", example) };
}

/** 413 of a body with a limit. */
export const tooLong = (bytesMax: number) =>
  refused(`The body is longer than ${bytesMax} bytes.`, `The body is longer than ${bytesMax} bytes.`);
