/** Types of the OpenAPI 3.1 document, as far as the reference shows it; fields of its bodies, and curl commands of its operations. */

export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** By type of event. */
  readonly webhooks: Readonly<Record<string, { readonly post: Webhook }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Webhook {
  readonly summary: string;
  readonly requestBody: { readonly content: { readonly "application/json": { readonly schema: Schema; readonly example: object } } };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

/** By media type. Each schema is a reference to a component, or empty for a file. */
export type Content = Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;

/** Keywords of JSON Schema 2020-12 that the API uses. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[] | undefined;
}

/** Component name of a body; null for a file, and for a response without a body. */
export function bodyNameOf(content: Content | undefined): string | null {
  const [body] = Object.values(content ?? {});
  return body?.schema.$ref?.split("/").at(-1) ?? null;
}

/** Media type of a file as body; null for JSON, and without a body. */
export function fileTypeOf(content: Content | undefined): string | null {
  const [mediaType] = Object.keys(content ?? {});
  return mediaType === undefined || bodyNameOf(content) !== null ? null : mediaType;
}

export interface FieldRow {
  /** Path from the root, as in `security.findings[].code`. */
  readonly path: string;
  /** As in `string[]` or `integer | null`. */
  readonly type: string;
  readonly optional: boolean;
  /** Schema without `null`: its keywords describe the field. */
  readonly schema: Schema;
}

/** Name of a body whose fields are a proper subset of this one's; null without one. */
export function baseOf({ properties = {} }: Schema, bodies: ApiDocument["components"]["schemas"]): string | null {
  const texts = new Map(Object.entries(properties).map(([name, field]) => [name, JSON.stringify(field)]));
  const base = Object.entries(bodies).find(([, { properties: others = {} }]) => {
    const fields = Object.entries(others);
    return fields.length > 1 && fields.length < texts.size && fields.every(([name, field]) => texts.get(name) === JSON.stringify(field));
  });
  return base?.[0] ?? null;
}

/** All fields of a body, nested ones after their parent. `omitted`: top-level fields that are described elsewhere. */
export function fieldsOf(schema: Schema, omitted: readonly string[] = []): readonly FieldRow[] {
  return fieldsBelow(schema, "").filter(({ path }) => !omitted.includes(path.split(/[.[]/)[0] ?? ""));
}

function fieldsBelow({ properties = {}, required = [] }: Schema, prefix: string): readonly FieldRow[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const schema = withoutNull(field);
    const row: FieldRow = { path, type: typeOf(field), optional: !required.includes(name), schema };
    const inner = schema.type === "array" && schema.items !== undefined ? withoutNull(schema.items) : schema;
    return [row, ...fieldsBelow(inner, schema.type === "array" ? `${path}[].` : `${path}.`)];
  });
}

/** Removes the `null` alternative of a schema. */
function withoutNull(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
}

export function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.type === "array") return `${typeOf(schema.items ?? {})}[]`;
  return schema.type ?? "any";
}

// curl commands for a shell with `BASE` and `TOKEN` set.

interface CurlOptions {
  /** JSON without single quotes. */
  readonly body?: string | null;
  /** Media type of a file that is sent in place of JSON. */
  readonly file?: string | null;
  /** Parameters of the request, with the values that they may have. */
  readonly parameters?: readonly Parameter[];
}

/** The token of a scan becomes a shell variable. Another path parameter has its first value, or its example. */
export function curlOf(method: string, path: string, { body = null, file = null, parameters = [] }: CurlOptions = {}): string {
  const firstValueOf = (name: string) => {
    const { enum: values = [], examples = [] } = parameters.find((each) => each.name === name)?.schema ?? {};
    return [...values, ...examples][0];
  };
  const address = path
    .replaceAll("{token}", "$SCAN")
    .replaceAll(/\{(\w+)\}/g, (placeholder, name) => encodeURIComponent(String(firstValueOf(name) ?? "")) || placeholder);
  const methodOfCurl = body === null && file === null ? "GET" : "POST";
  const lines = [`curl ${method === methodOfCurl ? "" : `-X ${method} `}"$BASE${address}"`, '-H "Authorization: Bearer $TOKEN"'];
  if (body !== null) lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  if (file !== null) lines.push(`-H "Content-Type: ${file}"`, `--data-binary @file.${file.split("/")[1]}`);
  return lines.join(" \\\n  ");
}

/** Example body from the examples of its fields. */
export function exampleBodyOf({ properties = {} }: Schema): string {
  const fields = Object.entries(properties).flatMap(([name, { examples = [] }]) => (examples.length > 0 ? [[name, examples[0]]] : []));
  return JSON.stringify(Object.fromEntries(fields));
}
