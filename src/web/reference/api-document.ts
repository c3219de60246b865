/** What the pages read of the API's OpenAPI 3.1 document: as much of its shape as they show. */

export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

interface Answer {
  readonly description: string;
  readonly content?: Content;
}

/** By media type; the schema is a reference to one of the components. */
type Content = Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;

/** JSON Schema 2020-12, the words of it that the API uses. */
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
  readonly required?: readonly string[];
}

/** Name of the component that a body is; null for an answer without one. */
export function bodyNameOf(content: Content | undefined): string | null {
  const [body] = Object.values(content ?? {});
  return body?.schema.$ref.split("/").at(-1) ?? null;
}

export interface FieldRow {
  /** From the body's root, as in `security.findings[].code`. */
  readonly path: string;
  /** As in `string[]` or `integer | null`. */
  readonly type: string;
  /** Whether it may be left out. */
  readonly optional: boolean;
  /** The schema without `null`, whose words describe the field. */
  readonly schema: Schema;
}

/** Name of a body all of whose fields stand in this one as they are, and more; null when there is none. */
export function baseOf({ properties = {} }: Schema, bodies: ApiDocument["components"]["schemas"]): string | null {
  const texts = new Map(Object.entries(properties).map(([name, field]) => [name, JSON.stringify(field)]));
  const base = Object.entries(bodies).find(([, { properties: others = {} }]) => {
    const fields = Object.entries(others);
    return fields.length > 1 && fields.length < texts.size && fields.every(([name, field]) => texts.get(name) === JSON.stringify(field));
  });
  return base?.[0] ?? null;
}

/** Every field of a body, those of nested objects and lists behind their own. Of the body's own fields those that are `told` elsewhere are left out. */
export function fieldsOf(schema: Schema, told: readonly string[] = []): readonly FieldRow[] {
  return fieldsBelow(schema, "").filter(({ path }) => !told.includes(path.split(/[.[]/)[0] ?? ""));
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

/** Of "this or null" this; anything else as it is. */
function withoutNull(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
}

export function typeOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.type === "array") return `${typeOf(schema.items ?? {})}[]`;
  return schema.type ?? "any";
}
