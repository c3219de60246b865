/** Methods of repositories, made from functions that take the database as their first parameter. */
import type { Db } from "./database.ts";
import type { RowTable } from "./table.ts";

/** Rows that one step of a removal reads: the tables can be large, and a server must not wait for all of them. */
const readAtOnce = 500;

// biome-ignore lint/suspicious/noExplicitAny: each function has parameters of its own.
type Functions = Readonly<Record<string, (db: Db, ...args: any[]) => unknown>>;
type Given<F> = F extends (db: Db, ...args: infer A) => unknown ? A : never;

/** Methods that run each function in a transaction of its own. They resolve when its changes are on disk. The functions are synchronous. */
export function transactions<F extends Functions>(db: Db, functions: F) {
  const methods = Object.entries(functions).map(([name, run]) => [name, (...given: unknown[]) => db.write(() => run(db, ...given))]);
  return Object.fromEntries(methods) as { readonly [N in keyof F]: (...given: Given<F[N]>) => Promise<ReturnType<F[N]>> };
}

/** Methods that only read. */
export function reads<F extends Functions>(db: Db, functions: F) {
  const methods = Object.entries(functions).map(([name, run]) => [name, (...given: unknown[]) => run(db, ...given)]);
  return Object.fromEntries(methods) as { readonly [N in keyof F]: (...given: Given<F[N]>) => ReturnType<F[N]> };
}

/**
 * Removes rows that `isDue` names, in bounded steps; one transaction for each step that finds some. False after the last step of a round; the
 * next step begins another. A key is a text, or its last part is a whole number.
 */
export function stepwiseRemoval<V, K extends string | number[], G extends readonly unknown[]>(
  db: Db,
  table: RowTable<V, K>,
  isDue: (row: { readonly key: K; readonly value: V }, ...given: G) => boolean,
  remove: (key: K) => unknown = (key) => table.remove(key),
) {
  let from: K | null = null;
  return async (...given: G): Promise<boolean> => {
    const rows = [...table.getRange({ ...(from !== null && { start: from }), limit: readAtOnce })];
    const due = rows.filter((row) => isDue(row, ...given)).map(({ key }) => key);
    const removeDue = (key: K) => {
      const value = table.get(key);
      if (value !== undefined && isDue({ key, value }, ...given)) remove(key);
    };
    if (due.length > 0) await db.write(() => due.forEach(removeDue));
    const last = rows.length < readAtOnce ? undefined : rows.at(-1)?.key;
    from = last === undefined ? null : keyAfter(last);
    return from !== null;
  };
}

function keyAfter<K extends string | number[]>(key: K): K {
  return (typeof key === "string" ? `${key}0` : key.with(-1, (key.at(-1) ?? 0) + 1)) as K;
}
