/** Definitions of tables: shape of the rows, key, indexes, and whose rows they are. */
import { Kind, OptionalKind, type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import { isObject } from "../base/is-object.ts";
import { parseLocation } from "../parse/location.ts";

export type { Static };
export type TableKey = string | number | (string | number)[];

type Test = (value: unknown) => boolean;

const testedBy = <T>(accepts: Test): TUnsafe<T> => Type.Unsafe({ [Kind]: "Tested", accepts });
const textTestedBy = (accepts: (text: string) => boolean) => testedBy<string>((value) => typeof value === "string" && accepts(value));
const anyObject = Type.Object({});

/**
 * Schemas for the members of stored rows. They test what lists and rights depend on, and no more: rows of older releases have fewer members
 * than today's, and rows of later ones have more.
 */
export const stored = {
  text: Type.String(),
  /** A text, whatever it is. */
  textAs: <T extends string>(): TUnsafe<T> => Type.Unsafe(Type.String()),
  flag: Type.Boolean(),
  number: Type.Number(),
  id: testedBy<number>((value) => Number.isSafeInteger(value) && (value as number) > 0),
  /** ISO 8601, UTC. */
  time: textTestedBy((text) => !Number.isNaN(Date.parse(text))),
  url: textTestedBy((text) => URL.canParse(text)),
  location: textTestedBy((text) => parseLocation(text) !== null),
  testedBy,
  /** An array, whatever its items are. */
  listOf: <T>(): TUnsafe<readonly T[]> => Type.Unsafe(Type.Array(Type.Unknown())),
  /** An object, whatever its members are. */
  objectOf: <T extends object>(): TUnsafe<T> => Type.Unsafe(anyObject),
  /** An array whose items are tested. */
  rows: <S extends TSchema>(item: S): TUnsafe<readonly Static<S>[]> => Type.Unsafe(Type.Array(item)),
  orNull: <S extends TSchema>(schema: S): TUnsafe<Static<S> | null> => Type.Unsafe(Type.Union([schema, Type.Null()])),
  optional: Type.Optional,
  /** The schema for rows whose type is narrower. */
  as: <T>(schema: TSchema): TUnsafe<T> => Type.Unsafe(schema),
  oneOf: <const T extends string>(values: readonly T[]): TUnsafe<T> => Type.Unsafe(Type.Union(values.map((value) => Type.Literal(value)))),
  /** Any value, also a missing one. */
  unchecked: <T>(): TUnsafe<T> => Type.Unsafe(Type.Optional(Type.Any())),
  row: <P extends TProperties>(members: P): TUnsafe<Readonly<Static<TObject<P>>>> => Type.Unsafe(Type.Object(members)),
} as const;

/** Type of a key, for the compiler only. */
interface KeyType<K extends TableKey> {
  readonly type?: K;
}

export function keyed<K extends TableKey>(): KeyType<K> {
  return {};
}

export const counters = [
  ...(["nextScanId", "nextAccountId", "nextApiTokenId", "nextSessionId", "nextAuditId"] as const),
  ...(["nextSiteId", "nextChannelId", "nextRuleId", "nextEventId", "nextDeliveryId"] as const),
] as const;
export type Counter = (typeof counters)[number];

/** Counters of the ids that are the parts of a key. */
type KeyIds = readonly Counter[];

/** Rows of an index that follow from one record. */
export type IndexRows<K extends TableKey, V extends string | number> = readonly (readonly [key: K, value: V])[];

export interface IndexRow {
  /** A damaged key may be of any kind. */
  readonly key: TableKey;
  readonly value: string | number;
}

export interface IndexDefinition<V, K extends TableKey, IK extends TableKey, IV extends string | number> {
  readonly rows: (row: V, key: K) => IndexRows<IK, IV>;
  /** Key of the record that an index row names. */
  readonly recordKey: (row: IndexRow) => TableKey | undefined;
  /** Stands for a damaged value, so that the key stays visible: it names no record. */
  readonly fallback: IV;
  readonly keyIds?: KeyIds;
}

/** Record keys of index rows: by default the value is the key. */
export const recordKeys = {
  byValue: ({ value }: IndexRow) => value,
  sameKey: ({ key }: IndexRow) => key,
  /** All parts of the index key but the first. */
  lastParts: ({ key }: IndexRow) => (Array.isArray(key) ? key.slice(1) : undefined),
  reversed: ({ key }: IndexRow) => (Array.isArray(key) ? key.toReversed() : undefined),
} as const;

type IndexOptions = Partial<Pick<IndexDefinition<never, never, never, never>, "recordKey" | "keyIds">>;

const indexWith =
  <IV extends string | number>(fallback: IV) =>
  <V, K extends TableKey, IK extends TableKey>(
    rows: (row: V, key: K) => IndexRows<IK, IV>,
    options: IndexOptions = {},
  ): IndexDefinition<V, K, IK, IV> => ({ rows, recordKey: recordKeys.byValue, fallback, ...options });

export const textIndex = indexWith<string>("");
export const numberIndex = indexWith<number>(0);

// biome-ignore lint/suspicious/noExplicitAny: each index has a key and a value of its own.
type Indexes<V, K extends TableKey> = Readonly<Record<string, IndexDefinition<V, K, any, any>>>;

/** Person whose data are deleted. */
export interface Owner {
  readonly id: number;
  readonly email: string;
}

/**
 * How the rows of an account or a site are found. `key`: its id is the key. `part N`: its id is that part of the key, the first part is 0.
 * `index`: its id is the first part of the index key. `row`: the whole table is read, and the test decides.
 */
type Belonging<V, I extends string> =
  | { readonly by: "key" }
  | { readonly by: "part"; readonly part: number }
  | { readonly by: "index"; readonly index: I }
  | { readonly by: "row"; readonly test: (row: V, owner: Owner) => boolean };

export interface TableDefinition<V, K extends TableKey, X extends Indexes<V, K>> {
  readonly schema: TSchema;
  readonly key: KeyType<K>;
  readonly keyedBy?: string;
  readonly fallback?: V;
  readonly cachedBytesMax?: number;
  readonly indexes: X;
  readonly ofAccount: readonly Belonging<V, string>[];
  readonly ofSite: readonly Belonging<V, string>[];
  readonly keyIds: KeyIds;
}

interface TableInput<S extends TSchema, K extends TableKey, X> {
  readonly row: S;
  readonly key: KeyType<K>;
  /** Member that repeats the key: a row under another key is damaged. */
  readonly keyedBy?: keyof Static<S> & string;
  /** Stands for a damaged row, so that the key stays visible. */
  readonly fallback?: Static<S>;
  /** Memory for parsed rows, found by their text: for long lists that are read often. No row may be changed in place. */
  readonly cachedBytesMax?: number;
  /** Kept by `put` and `remove` of the table. */
  readonly indexes?: X;
  /** Rows that are removed with an account; empty for none. */
  readonly ofAccount: readonly Belonging<Static<S>, keyof NoInfer<X> & string>[];
  /** Rows that are removed with a site. */
  readonly ofSite?: readonly Belonging<Static<S>, keyof NoInfer<X> & string>[];
  readonly keyIds?: KeyIds;
}

/** Definition of a table under its name in `tables.ts`. An index that names an unknown member does not compile. */
export function defineTable<S extends TSchema, K extends TableKey, X extends Indexes<Static<S>, K> = Record<never, never>>({
  row: schema,
  indexes = {} as X,
  ofSite = [],
  keyIds = [],
  ...definition
}: TableInput<S, K, X>): TableDefinition<Static<S>, K, X> {
  return { schema, indexes, ofSite, keyIds, ...definition };
}

/** Shape of the rows of a table. */
export interface RowFormat<V> {
  /** Whether parsed JSON is a row of this table. */
  readonly accepts: (value: unknown) => boolean;
  /** Member that repeats the key: a row under another key is damaged. */
  readonly keyedBy?: string;
  /** Stands for an unreadable row where the key must stay visible: a reference that leads nowhere. */
  readonly fallback?: V;
  readonly cachedBytesMax?: number;
}

export function rowFormatOf<V>({
  schema,
  keyedBy,
  fallback,
  cachedBytesMax,
}: Omit<RowFormat<V>, "accepts"> & { readonly schema: TSchema }): RowFormat<V> {
  return {
    accepts: testOf(schema),
    ...(keyedBy !== undefined && { keyedBy }),
    ...(fallback !== undefined && { fallback }),
    ...(cachedBytesMax !== undefined && { cachedBytesMax }),
  };
}

/** Makes a test for rows. It is as fast as compiled code, and costs no time for compilation at the start of a command. */
function testOf(schema: TSchema): Test {
  const test = testOfKind(schema);
  return OptionalKind in schema ? (value) => value === undefined || test(value) : test;
}

function testOfKind(schema: TSchema): Test {
  switch (schema[Kind]) {
    case "Tested":
      return schema.accepts;
    case "Any":
    case "Unknown":
      return () => true;
    case "Null":
      return (value) => value === null;
    case "String":
      return (value) => typeof value === "string";
    case "Number":
      return (value) => typeof value === "number";
    case "Boolean":
      return (value) => typeof value === "boolean";
    case "Literal":
      return (value) => value === schema.const;
    case "Union": {
      const tests = (schema.anyOf as readonly TSchema[]).map(testOf);
      return (value) => tests.some((test) => test(value));
    }
    case "Array": {
      const test = testOf(schema.items);
      return (value) => Array.isArray(value) && value.every(test);
    }
    case "Object": {
      const members = Object.entries(schema.properties as TProperties).map(([name, member]) => [name, testOf(member)] as const);
      return (value) => isObject(value) && members.every(([name, test]) => test(value[name]));
    }
    default:
      throw new Error(`no test for members of the kind ${schema[Kind]}`);
  }
}

export function indexFormatOf<V extends string | number>(fallback: V): RowFormat<V> {
  return { accepts: (value) => typeof value === typeof fallback, fallback };
}
