/** OpenAPI 3.1 description, built from the declarations of the operations, whose schemas validate requests. */
import type { TSchema } from "@sinclair/typebox";
import { headerValueCharsMax } from "../evidence/limits.ts";
import { answer, prepareHeaders, type RequestContext } from "./answer.ts";
import { webhookOperations } from "./channels/webhooks.ts";
import { type ApiOperation, tags } from "./operation.ts";
import { apiOperations } from "./operations.ts";
import { commonRefusals, type ResponseContent, type Responses, tooLong } from "./responses.ts";
import { ErrorBody, modelNameOf } from "./schemas.ts";

/** Last of all bodies. */
const errorName = modelNameOf(ErrorBody) ?? "";

/** Plain data: OpenAPI 3.1 uses JSON Schema, which typebox schemas are. `headerCharsMax` is the limit of this installation. */
export function openapiDocument(headerCharsMax = headerValueCharsMax) {
  const models = new Map<string, TSchema>();
  const byPath = Map.groupBy(apiOperations, ({ path }) => path);
  const methodsOf = (operations: readonly ApiOperation[]) =>
    Object.fromEntries(operations.map((each) => [each.method.toLowerCase(), described(each, models)]));
  const paths = Object.fromEntries([...byPath].map(([path, operations]) => [path, methodsOf(operations)]));
  const { [errorName]: error, ...bodies } = Object.fromEntries(models);
  return {
    openapi: "3.1.1",
    info: {
      title: "assay",
      version: "1",
      summary: "Scans web pages with a real browser and tells how secure they are.",
      description: [
        "Scans are asynchronous: start one, then read it. Every finished scan is public; there is no way to hide one.",
        `This appliance reads the first ${headerCharsMax} characters of a response header (scan.header_chars_max).`,
        "A check whose header is longer is notChecked, and the full report names the reason header-truncated.",
      ].join(" "),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This appliance" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiToken: [] }],
    paths,
    webhooks: webhookOperations,
    components: {
      schemas: { ...bodies, ...(error !== undefined && { [errorName]: error }) },
      securitySchemes: { apiToken: { type: "http", scheme: "bearer", description: "An API token of an account on the Agency plan." } },
      headers: {
        "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer", minimum: 1 } },
        "Idempotency-Replayed": {
          description: "true if the Idempotency-Key was known, so that the scans of its first request are given.",
          schema: { type: "string", const: "true" },
        },
      },
    },
  };
}

/** Adds the bodies of the operation to `models`. */
function described({ params, query, headers = [], body, answers, refusals, ...operation }: ApiOperation, models: Map<string, TSchema>) {
  const { id: operationId, tag, summary, description } = operation;
  const parameters = [
    ...parametersIn("path", params),
    ...parametersIn("query", query?.schema),
    ...headers.map(({ name, schema }) => ({ name, in: "header" as const, required: false, schema })),
  ];
  const bytesMax = body?.bytesMax ?? null;
  const requestBody = body && { required: true, content: referring(body.content, models) };
  const responses: Responses = { ...answers, ...commonRefusals, ...(bytesMax !== null && tooLong(bytesMax)), ...refusals };
  const withContent = Object.entries(responses).map(([status, { content, ...response }]) => [
    status,
    content === undefined ? response : { ...response, content: referring(content, models) },
  ]);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: Object.fromEntries(withContent) as Record<string, { readonly description: string; readonly content?: ReferringContent }>,
  };
}

/** Path parameters are required, query parameters are not. */
function parametersIn(place: "path" | "query", schema: { readonly properties: Readonly<Record<string, object>> } | undefined) {
  return Object.entries(schema?.properties ?? {}).map(([name, each]) => ({ name, in: place, required: place === "path", schema: each }));
}

type ReferringContent = Readonly<Record<string, { readonly schema: { readonly $ref?: string }; readonly example?: unknown }>>;

/** References in place of the schemas that have a name. */
function referring(content: ResponseContent, models: Map<string, TSchema>): ReferringContent {
  const entries = Object.entries(content).map(([mediaType, { schema, ...media }]) => {
    const name = modelNameOf(schema);
    if (name === null) return [mediaType, { schema, ...media }];
    models.set(name, schema as TSchema);
    return [mediaType, { schema: { $ref: `#/components/schemas/${name}` }, ...media }];
  });
  return Object.fromEntries(entries) as ReferringContent;
}

/** Served without a token: a developer of a client has none yet. */
export function createOpenapiAnswer(headerCharsMax: number): (requestContext: RequestContext) => Response {
  const description = JSON.stringify(openapiDocument(headerCharsMax));
  const headers = prepareHeaders({ "cache-control": "public, max-age=300" });
  return (requestContext) => answer(requestContext, 200, description, headers);
}
