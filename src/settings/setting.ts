/** Form of a setting, and the schemas that settings share. */
import { type TSchema, Type } from "@sinclair/typebox";
import { parseCidr } from "../egress/address-policy.ts";
import { endpointText, parseEndpoint } from "../parse/address.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface Earlier {
  readonly data?: string;
  readonly profile?: "internet" | "internal";
  readonly public_url?: string | null;
  readonly "scan.concurrency"?: number;
  readonly "browser.memory_max"?: number;
  readonly "accounts.signup"?: "closed" | "invite" | "open";
}

export interface Setting<S extends TSchema = TSchema> {
  readonly schema: S;
  /** One sentence for `--help` and the documentation. */
  readonly doc: string;
  /** Allowed values, as the end of the sentence "it takes ...". */
  readonly allowed: string;
  readonly fallback: (env: Environment, earlier: Earlier) => unknown;
  /** The default in words, where `fallback` computes it or null has a meaning. */
  readonly defaultDoc?: string;
  /** In commander's notation; repeatable when the value is a list. */
  readonly flag?: string;
  /** A path in a file is relative to the file, elsewhere to the working directory. */
  readonly isPath?: true;
  /** The value names a person: the audit log notes its change without it. */
  readonly isPersonal?: true;
  /** The value may hold a password, so messages leave it out. */
  readonly hidesPassword?: true;
}

/** A setting as it is declared. `fallback`: a value, or the function that computes it; without one, an empty list or null. */
type Declared = Omit<Setting, "schema" | "fallback"> & { readonly fallback?: Setting["fallback"] | string | number | boolean };

export function setting<S extends TSchema>(schema: S, { fallback, ...rest }: Declared): Setting<S> {
  const value = fallback ?? (schema.type === "array" ? [] : null);
  return { schema, ...rest, fallback: typeof value === "function" ? value : () => value };
}

/** `unit`: plural, for the sentence about allowed values. */
export function integer(
  minimum: number,
  maximum: number,
  { unit, ...rest }: Omit<Declared, "allowed"> & { readonly unit?: "seconds" | "hours" },
) {
  const allowed = `a whole number ${unit === undefined ? "" : `of ${unit} `}from ${minimum} to ${maximum}`;
  return setting(Type.Integer({ minimum, maximum }), { allowed, ...rest });
}

export function yesNo(rest: Omit<Declared, "allowed">) {
  return setting(Type.Boolean(), { allowed: "true or false", ...rest });
}

/** `flag`: without its value, which the words give. */
export function choice<const T extends readonly string[]>(words: T, { flag, ...rest }: Omit<Declared, "allowed">) {
  const ofFlag = flag === undefined ? {} : { flag: `${flag} <${words.join("|")}>` };
  return setting(oneOf(...words), { allowed: listed(words), ...rest, ...ofFlag });
}

function listed(words: readonly string[]): string {
  return words.join(", ").replace(/, (?=[^,]*$)/, " or ");
}

/** A path, or null. `allowed` is "a file" by default. */
export function file(rest: Omit<Declared, "allowed" | "isPath"> & Partial<Pick<Declared, "allowed">>) {
  return setting(optional(path), { allowed: "a file", ...rest, isPath: true });
}

/** A list of addresses or address ranges in CIDR notation, such as `example`. */
export function addressRanges({ example, ...rest }: Omit<Declared, "allowed"> & { readonly example: string }) {
  return setting(Type.Array(parsed(parseRange)), { allowed: `a list of addresses or ranges, as in ${example}`, ...rest });
}

export function oneOf<const T extends readonly string[]>(...words: T) {
  return Type.Unsafe<T[number]>(Type.Union(words.map((word) => Type.Literal(word))));
}

/** Schema of a text that `parse` converts; null from the parser is an error. `textOf` writes the value as the setting has it, without a password. */
export function parsed<T extends {}>(parse: (text: string) => T | null, textOf: (value: T) => string = String) {
  return Type.Transform(Type.String())
    .Decode((text): T => {
      const value = parse(text);
      if (value === null) throw new Error("out of form");
      return value;
    })
    .Encode(textOf);
}

export const path = Type.String({ minLength: 1 });
export const optional = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const endpoint = parsed(parseEndpoint, ({ address, port }) => endpointText(address, port));

function parseRange(text: string): string | null {
  try {
    parseCidr(text);
    return text;
  } catch {
    return null;
  }
}
