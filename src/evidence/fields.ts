/** Building blocks of the schemas of facts. Every text, list and number has a limit. */
import { type Static, type TLiteral, type TObject, type TProperties, type TSchema, type TUnion, Type } from "@sinclair/typebox";
import { probeFailures } from "./evidence.ts";

type Frozen<T> = T extends readonly (infer E)[] ? readonly Frozen<E>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** Read-only type of the facts that a schema describes. */
export type Fact<S extends TSchema> = Frozen<Static<S>>;

export const text = (charsMax: number) => Type.String({ maxLength: charsMax });
export const list = <S extends TSchema>(items: S, itemsMax: number) => Type.Array(items, { maxItems: itemsMax });
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const orAbsent = <S extends TSchema>(schema: S) => Type.Optional(schema);
export const flag = Type.Boolean();
export const wholeNumber = (maximum: number) => Type.Integer({ minimum: 0, maximum });
/** Status, length, or number of dropped items. */
export const count = wholeNumber(2 ** 31 - 1);
/** As in `2026-08-22`. */
export const date = Type.String({ pattern: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$" });
/** As in `2026-08-22T10:30:00.000Z`. */
export const instant = Type.String({
  pattern: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3])(?::[0-5]\\d){2}\\.\\d{3}Z$",
});
/** An object without other fields. */
export const fields = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

type Literals<T extends readonly string[]> = { -readonly [K in keyof T]: TLiteral<T[K] & string> };

export function literalOf<const T extends readonly string[]>(...values: T): TUnion<Literals<T>> {
  return Type.Union(values.map((value) => Type.Literal(value))) as unknown as TUnion<Literals<T>>;
}

/** An object with the same schema for each name. */
export function recordOf<N extends string, S extends TSchema>(names: readonly N[], schema: S) {
  return fields(Object.fromEntries(names.map((name) => [name, schema]))) as unknown as TObject<{ [K in N]: S }>;
}

export const probeFailure = literalOf(...probeFailures);
export const failedReading = fields({ status: Type.Literal("failed"), because: probeFailure });
export const readingOf = <S extends TSchema>(facts: S) => Type.Union([fields({ status: Type.Literal("read"), facts }), failedReading]);

/**
 * Value within the limits of a schema of facts. `cut` shortens texts. A number or a flag of another type becomes 0 or false, and an
 * unknown word the last one of its list. Optional fields may be absent.
 * @throws TypeError if a text, a list or an object has another type.
 */
export function withinLimits<S extends TSchema>(schema: S, value: unknown, cut: (text: string, charsMax: number) => string): Fact<S> {
  return bounded(schema, value) as Fact<S>;

  function bounded({ type, anyOf, items, maxItems, maxLength, properties, required = [] }: TSchema, given: unknown): unknown {
    switch (type) {
      case "string":
        return cut(given as string, maxLength);
      case "integer":
        return Number.isSafeInteger(given) ? given : 0;
      case "boolean":
        return given === true;
      case "array":
        return (given as readonly unknown[]).slice(0, maxItems).map((item) => bounded(items, item));
      case "object":
        return Object.fromEntries(
          Object.entries<TSchema>(properties).flatMap(([name, part]) => {
            const value = (given as Record<string, unknown>)[name];
            return value === undefined && !required.includes(name) ? [] : [[name, bounded(part, value)]];
          }),
        );
      default:
        return ofUnion(anyOf, given);
    }
  }

  /** The union is a list of words, or one schema and null. */
  function ofUnion(options: readonly TSchema[], given: unknown): unknown {
    const words = options.map((option) => option.const);
    if (!words.includes(undefined)) return words.includes(given) ? given : words.at(-1);
    return given === null ? null : bounded(options[0] as TSchema, given);
  }
}
