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

export function setting<S extends TSchema>(schema: S, rest: Omit<Setting, "schema">): Setting<S> {
  return { schema, ...rest };
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
export const none = () => [];
export const endpoint = parsed(parseEndpoint, ({ address, port }) => endpointText(address, port));
/** A list of addresses or address ranges in CIDR notation. */
export const ranges = Type.Array(parsed(parseRange));

function parseRange(text: string): string | null {
  try {
    parseCidr(text);
    return text;
  } catch {
    return null;
  }
}
