/** The section `webhooks` of the OpenAPI description: one request for each type of event. */
import { dayMs } from "../../base/units.ts";
import { retriedForMs } from "../../deliver/retry.ts";
import { webhookSchemas } from "../webhook-schemas.ts";

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
