/** Parts of schemas that several operations share. A schema validates requests, and describes them. */
import { type Static, type TArray, type TObject, type TSchema, type TUnknown, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { locales } from "../check/check.ts";

const listLimitDefault = 20;
/** Limit of records on a page; the pattern below holds the same number. */
export const listLimitMax = 100;

/** Name of a body in the description. A symbol, so that JSON leaves it out. */
const modelName = Symbol("name of the model");
const faultTexts = Symbol("texts of faults");
const checkedAlone = Symbol("entries are checked one by one");

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
export const oneOfValues = <const T extends readonly [string, ...string[]]>(values: T) => t.UnionEnum(values, { default: undefined });
export const nullable = <S extends TSchema>(schema: S, options: { readonly examples?: unknown } = {}) =>
  Type.Union([schema, Type.Null()], options);
export const instantOf = (description: string) => Type.String({ format: "date-time", description });
export const recordId = (description: string, options: { readonly examples?: readonly number[] } = {}) =>
  Type.Integer({ minimum: 1, description, ...options });
export const nextCursor = nullable(Type.String({ description: "The `cursor` of the page after this one; null on the last." }));
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
