/** Building blocks of the schema of evidence. Every text and every list has a limit. */
import { type Static, type TLiteral, type TProperties, type TSchema, type TUnion, Type } from "@sinclair/typebox";

/** The same type without `readonly`, and interfaces as plain objects. */
type Plain<T> = T extends readonly (infer E)[] ? Plain<E>[] : T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } : T;

/** True if both types are equal, optional fields included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only if the schema describes exactly the type `F`: no field more, less, or of another type. */
export function schemaFor<F>() {
  return <S extends TSchema>(schema: Same<Plain<F>, Plain<Static<S>>> extends true ? S : never): S => schema;
}

export const text = (charsMax: number) => Type.String({ maxLength: charsMax });
export const list = <S extends TSchema>(items: S, itemsMax: number) => Type.Array(items, { maxItems: itemsMax });
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const flag = Type.Boolean();
export const wholeNumber = (maximum: number) => Type.Integer({ minimum: 0, maximum });
/** Of a status, a length or what was dropped. */
export const count = wholeNumber(2 ** 31 - 1);
/** As in `2026-08-22`. */
export const date = Type.String({ pattern: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$" });
/** As in `2026-08-22T10:30:00.000Z`. */
export const instant = Type.String({
  pattern: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3])(?::[0-5]\\d){2}\\.\\d{3}Z$",
});
/** Unknown fields make it invalid. */
export const fields = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
export const orAbsent = <S extends TSchema>(schema: S) => Type.Optional(schema);

type Literals<T extends readonly string[]> = { -readonly [K in keyof T]: TLiteral<T[K] & string> };

export function literalOf<const T extends readonly string[]>(...values: T): TUnion<Literals<T>> {
  return Type.Union(values.map((value) => Type.Literal(value))) as unknown as TUnion<Literals<T>>;
}
