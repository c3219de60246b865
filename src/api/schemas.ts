/** Parts of schemas that several operations share. A schema validates requests, and describes them. */
import {
  type IntegerOptions,
  type SchemaOptions,
  type Static,
  type TArray,
  type TObject,
  type TSchema,
  type TUnknown,
  Type,
} from "@sinclair/typebox";
import { t } from "elysia";
import { locales } from "../check/check.ts";

const listLimitDefault = 20;
/** Limit of records on a page; the pattern below holds the same number. */
export const listLimitMax = 100;

/** Name of a body in the description. A symbol, so that JSON leaves it out. */
const modelName = Symbol("name of the model");
const faultTexts = Symbol("texts of faults");
const checkedAlone = Symbol("entries are checked one by one");

/** Option of a schema: value that examples of bodies show. A symbol, so that JSON leaves it out. */
export const example: unique symbol = Symbol("example of a value");
export const nullExample = { [example]: null } as const;

/** Example of a body, composed of the examples of its fields. Undefined if a required field has none; optional fields without one are left out. */
export function exampleOf(schema: TSchema): unknown {
  if (example in schema) return schema[example];
  if (schema.examples !== undefined) return schema.examples[0];
  const { type, anyOf, items, properties = {}, required = [] } = schema;
  if (anyOf !== undefined) return exampleOf(anyOf[0]);
  if (type === "array") return exampleOf(items) === undefined ? undefined : [exampleOf(items)];
  if (type === "null") return null;
  if (type !== "object") return schema.const;
  const fields = Object.entries<TSchema>(properties).map(([name, each]) => [name, exampleOf(each)] as const);
  const known = fields.filter(([, value]) => value !== undefined);
  return required.every((name: string) => known.some(([each]) => each === name)) ? Object.fromEntries(known) : undefined;
}

/** Makes the body of a record: the fields that the schema has, in its order. Other fields of the record stay out. */
export function bodyOf<S extends TObject>({ properties }: S): (record: { readonly [K in keyof S["properties"]]: unknown }) => object {
  const names = Object.keys(properties);
  return (record) => Object.fromEntries(names.map((name) => [name, record[name]]));
}

/** A body with a name, under which the description lists it. */
export function model<S extends TSchema>(name: string, schema: S): S {
  return { ...schema, [modelName]: name };
}

/** Null for a body without a name. */
export function modelNameOf(schema: object): string | null {
  return modelName in schema ? String(schema[modelName]) : null;
}

/** Each completes the name of the field. */
export interface FieldFaultTexts {
  readonly required?: string;
  /** For null where it is refused. */
  readonly none?: string;
  readonly wrong?: string;
  readonly min?: string;
  readonly max?: string;
}

/** A schema whose faults have texts of their own. */
export function worded<S extends TSchema>(schema: S, texts: FieldFaultTexts): S {
  return { ...schema, [faultTexts]: texts };
}

/** Empty for a schema whose faults have the usual texts. */
export function faultTextsOf(schema: object): FieldFaultTexts {
  return faultTexts in schema ? (schema[faultTexts] as FieldFaultTexts) : {};
}

/** A list whose entries the operation checks itself: one that is refused stops no other, or the account decides. */
export function entriesAlone<S extends TArray>(schema: S): TArray<TUnknown> {
  return { ...schema, [checkedAlone]: true } as unknown as TArray<TUnknown>;
}

/** Schema by which a body is checked: entries that are checked one by one may be anything here. */
export function checkedSchemaOf<S extends TObject>(schema: S): TObject {
  const properties = Object.entries(schema.properties).map(([name, each]) => {
    const { items, ...list } = each as TSchema & { readonly items?: TSchema };
    return [name, checkedAlone in each && items !== undefined ? { ...list, items: Type.Unknown() } : each];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Without Elysia's default, which is the first value. */
export const oneOfValues = <const T extends readonly [string, ...string[]]>(values: T, options: SchemaOptions = {}) =>
  t.UnionEnum(values, { default: undefined, ...options });
export const nullable = <S extends TSchema>(schema: S, options: SchemaOptions = {}) => Type.Union([schema, Type.Null()], options);
export const instantOf = (description: string, shown?: string) => Type.String({ format: "date-time", description, [example]: shown });
export const recordId = (description: string, options: IntegerOptions = {}) => Type.Integer({ minimum: 1, description, ...options });
export const nextCursor = nullable(Type.String({ description: "The `cursor` of the page after this one; null on the last." }), nullExample);
/** `shown`: score of examples. */
export const scoreField = (description: string, shown?: number) =>
  Type.Integer({ minimum: 0, maximum: 100, description, [example]: shown });
/** Unknown fields are refused. */
export const closed = { additionalProperties: false } as const;
/** Unknown fields and parameters are ignored. */
export const open = { additionalProperties: true } as const;

export const idParams = (of: string, example: number) => Type.Object({ id: recordId(`Id of the ${of}.`, { examples: [example] }) });

export const ErrorBody = model(
  "Error",
  Type.Object({
    errorMessage: Type.String({ description: "For people; its wording may change. Branch on the status code." }),
    fieldErrors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()), { description: "By field of a rejected body." })),
  }),
);

export const LocaleQuery = Type.Object(
  { locale: Type.Optional(t.UnionEnum(locales, { default: locales[0], description: "Language of the texts." })) },
  open,
);

/** Strings with a pattern: a conversion to numbers would also accept 0x10 and 1e1. */
export const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.String({ pattern: "^([1-9][0-9]?|100)$", description: `1 to ${listLimitMax}; ${listLimitDefault} when omitted.` }),
    ),
    cursor: Type.Optional(Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "The nextCursor of an earlier page." })),
  },
  open,
);

/** Page that a query asks for. */
export function pageRequestOf({ limit, cursor }: Static<typeof ListQuery>) {
  return { limit: limit === undefined ? listLimitDefault : Number(limit), cursor: cursor === undefined ? null : Number(cursor) };
}

/** Largest identifier that `recordIdPattern` allows. */
export const recordIdMax = 999_999_999_999_999;
