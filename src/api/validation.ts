/** Validates bodies and queries by the schemas that the description publishes. Typebox decides; this file words the faults. */

import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { isObject } from "../base/is-object.ts";
import { nearest } from "../parse/text.ts";
import { type ApiError, type FieldErrors, invalidBody, invalidFields } from "./errors.ts";
import { checkedSchemaOf, faultTextsOf } from "./schemas.ts";

export type BodyFields = Readonly<Record<string, unknown>>;
/** Field, and a text that completes its name. */
type Fault = readonly [field: string, text: string];

/** `required`: field that an unreadable body lacks; null if none is required. */
export function validatorOf<S extends TObject>(schema: S) {
  const checked = checkedSchemaOf(schema);
  const isValid = compiledCheck(checked);
  const required: string | null = checked.required?.[0] ?? null;
  return { required, check };

  /**
   * `domainFaults` may know more faults of a refused body, and words them all; null without any.
   * @throws ApiError 400
   */
  function check(value: unknown, domainFaults: (fields: BodyFields) => FieldErrors | null = () => null): Static<S> {
    if (isValid(value)) return value as Static<S>;
    if (!isObject(value)) throw invalidBody("is not a JSON object", required);
    const misplaced = misplacedField(checked as ObjectSchema, value, "body");
    if (misplaced !== null) throw asError(misplaced);
    // White space at the ends of a text does not count.
    const trimmed = trimmedCopy(value);
    if (isValid(trimmed)) return value as Static<S>;
    const faults = domainFaults(value);
    if (faults !== null) throw invalidFields(faults);
    throw asError(faultOf(checked, trimmed, "body") ?? ["body", "is not valid"]);
  }
}

/** Compiled at the first request: a server starts faster. */
function compiledCheck(schema: TObject): (value: unknown) => boolean {
  let compiled: TypeCheck<TObject> | null = null;
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema);
    return compiled.Check(value);
  };
}

export interface QueryParameters<Q> {
  readonly schema: TObject;
  /** @throws ApiError 400 */
  read(request: Request): Q;
}

/**
 * Parameters of the query; others are ignored. `refusal` words the faults of parameters without texts of their own.
 * `repeated`: a parameter that is given twice is named, refused as others are, or has its last value.
 */
export function queryOf<S extends TObject>(
  schema: S,
  refusal: () => ApiError,
  { repeated }: { readonly repeated: "named" | "refused" | "last" },
): QueryParameters<Static<S>> {
  const names = Object.keys(schema.properties);
  const isValid = compiledCheck(schema);
  const none = {} as Static<S>;
  return { schema, read };

  function read({ url }: Request): Static<S> {
    const at = url.indexOf("?");
    if (at === -1) return none;
    // A URL costs four times as much.
    const searchParams = new URLSearchParams(url.slice(at));
    const given: Record<string, string> = {};
    for (const name of names) {
      const values = searchParams.getAll(name);
      if (values.length > 1 && repeated === "named") throw asError([name, "must be given once"]);
      if (values.length > 1 && repeated === "refused") throw refusal();
      const value = values.at(-1);
      if (value !== undefined) given[name] = value;
    }
    if (isValid(given)) return given as Static<S>;
    const [wrong = ""] = names.filter((name) => name in given && !Value.Check(schema.properties[name] as TSchema, given[name]));
    const { wrong: text } = faultTextsOf(schema.properties[wrong] ?? {});
    throw text === undefined ? refusal() : asError([wrong, text]);
  }
}

function asError([field, text]: Fault): ApiError {
  return invalidFields({ [field]: [text] });
}

function trimmedCopy(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(trimmedCopy);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, trimmedCopy(each)])) : value;
}

const strayCharsMax = 64;

/** A misspelled field would otherwise change nothing, silently; an object without any field would neither. */
function misplacedField(schema: ObjectSchema, value: BodyFields, field: string): Fault | null {
  const { properties = {}, additionalProperties, minProperties = 0 } = schema;
  const names = Object.keys(properties);
  const stray = additionalProperties === false ? Object.keys(value).find((name) => !names.includes(name)) : undefined;
  if (stray !== undefined) return strayFault(stray, names);
  return Object.keys(value).length < minProperties ? [field, `must have at least one of ${names.join(", ")}`] : null;
}

function strayFault(stray: string, names: readonly string[]): Fault {
  const shown = stray.slice(0, strayCharsMax);
  const meant = nearest(shown, names);
  return [shown, `is not known here${meant === null ? "" : `; did you mean ${meant}?`}`];
}

/** @throws ApiError 400 for a field that is not one of `names`. */
export function assertKnownFields(value: object, names: readonly string[]): void {
  const stray = Object.keys(value).find((name) => !names.includes(name));
  if (stray !== undefined) throw asError(strayFault(stray, names));
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly minProperties?: number;
}

/** First fault of a value. A fault within a field is a fault of the field. */
function faultOf(schema: TSchema, value: unknown, field: string): Fault | null {
  const isRight: boolean = Value.Check(schema, value);
  if (isRight) return null;
  const texts = faultTextsOf(schema);
  if (value === undefined) return [field, texts.required ?? "is required"];
  if (value === null && texts.none !== undefined) return [field, texts.none];
  const { type, anyOf, enum: values, minLength = 0, maxLength, minItems = 0, maxItems, items } = schema;
  const [alternative] = (anyOf ?? []) as readonly TSchema[];
  if (alternative !== undefined && texts.wrong === undefined) return faultOf(alternative, value, field);
  if (type === "object" && isObject(value))
    return faultOfProperties(schema as ObjectSchema, value, field) ?? misplacedField(schema as ObjectSchema, value, field);
  if (type === "string" && typeof value === "string" && values === undefined) {
    if (value.length < minLength) return [field, texts.min ?? "is required"];
    if (value.length > maxLength) return [field, texts.max ?? `must be at most ${maxLength} characters long`];
  }
  if (type === "array" && Array.isArray(value)) {
    if (value.length < minItems) return [field, texts.min ?? `must have ${minItems} to ${maxItems} entries`];
    if (value.length > maxItems) return [field, texts.max ?? `must have ${minItems} to ${maxItems} entries`];
    const entry = value.find((each) => !Value.Check(items, each));
    return faultOf(items, entry, field);
  }
  return [field, texts.wrong ?? wrongTextOf(schema)];
}

function faultOfProperties({ properties = {}, required = [] }: ObjectSchema, value: BodyFields, field: string): Fault | null {
  for (const [name, schema] of Object.entries(properties)) {
    if (value[name] === undefined && !required.includes(name)) continue;
    const fault = faultOf(schema, value[name], field === "body" ? name : field);
    if (fault !== null) return fault;
  }
  return null;
}

function wrongTextOf({ type, enum: values }: TSchema): string {
  if (values !== undefined) return `must be one of ${(values as readonly string[]).join(", ")}`;
  const texts: Readonly<Record<string, string>> = {
    string: "must be a string",
    boolean: "must be true or false",
    array: "must be a list",
    object: "must be an object",
  };
  return texts[String(type)] ?? "is not valid";
}
