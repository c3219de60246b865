/** What follows from the definition of a table: its indexes, and the removal of what belongs to an account. */
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Db, openDatabase } from "../../../src/store/database.ts";
import { defineTable, type IndexRows, keyed, rowFormatOf, stored, type TableKey, textIndex } from "../../../src/store/define-table.ts";
import { isSameKey } from "../../../src/store/table.ts";
import { allTables } from "../../../src/store/tables.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

let temporary: TemporaryStore;
let db: Db;
beforeEach(async () => {
  temporary = temporaryStore();
  for (const name of ["a", "b"]) await temporary.store.accounts.create({ email: `${name}@site.example`, now: new Date() });
  db = openDatabase(temporary.dataDir, { readOnly: false });
});
afterEach(async () => {
  await db.close();
  await temporary.stop();
});

const emails = () => [...db.accountIdsByEmail.getRange()].map(({ key, value }) => [key, value]);

describe("an index", () => {
  test("follows each change of a record, in its transaction", async () => {
    await db.write(() => db.accounts.update(1, () => ({ email: "New@site.example" })));
    expect(emails()).toEqual([
      ["b@site.example", 2],
      ["new@site.example", 1],
    ]);
    const failed = db.write(() => {
      db.accounts.remove(2);
      throw new Error("undone");
    });
    await expect(failed).rejects.toThrow("undone");
    expect(emails()).toHaveLength(2);
    await db.write(() => db.accounts.removeAll());
    expect(emails()).toEqual([]);
  });

  test("gets the row of a record whose former content cannot be read", async () => {
    const [account] = db.accounts.values();
    if (account === undefined) throw new Error("there is no account");
    const root = open({ path: join(temporary.dataDir, "store"), maxDbs: 64 });
    await root.openDB<string, number>({ name: "accounts", encoding: "string" }).put(1, "(");
    await root.close();
    await db.write(() => db.accountIdsByEmail.removeAll());
    await db.write(() => db.accounts.put(1, account));
    expect(emails()).toEqual([["a@site.example", 1]]);
  });

  test("compares all parts of its keys", () => {
    const same: readonly (readonly [TableKey, TableKey])[] = [
      [7, 7],
      [
        ["a", 1],
        ["a", 1],
      ],
    ];
    const different: readonly (readonly [TableKey, TableKey])[] = [
      [
        ["a", 1],
        ["a", 2],
      ],
      [
        ["a", 1],
        ["b", 1],
      ],
      [["a"], ["a", 1]],
      [["a"], "a"],
    ];
    expect(same.map(([one, other]) => isSameKey(one, other))).toEqual([true, true]);
    expect(different.map(([one, other]) => isSameKey(one, other))).toEqual([false, false, false, false]);
  });

  test("of an unknown member does not compile", () => {
    const row = stored.row({ name: stored.text });
    // @ts-expect-error: there is no such member.
    const index = textIndex(({ nam }: Readonly<{ name: string }>): IndexRows<string, string> => [[nam, ""]]);
    const { indexes } = defineTable({ row, key: keyed<string>(), indexes: { byName: index }, ofAccount: [] });
    expect(Object.keys(indexes)).toEqual(["byName"]);
    // @ts-expect-error: there is no such member.
    expect(defineTable({ row, key: keyed<string>(), keyedBy: "nam", ofAccount: [] }).keyedBy).toBe("nam");
    // @ts-expect-error: there is no such index.
    expect(defineTable({ row, key: keyed<string>(), ofAccount: [{ by: "index", index: "byName" }] }).ofAccount).toHaveLength(1);
  });
});

test("a row may have members that the definition does not know, and none that it refuses", () => {
  const { accepts } = rowFormatOf(
    defineTable({
      row: stored.row({
        id: stored.id,
        at: stored.orNull(stored.time),
        kind: stored.optional(stored.oneOf(["x"])),
        any: stored.unchecked(),
      }),
      key: keyed<number>(),
      ofAccount: [],
    }),
  );
  expect(
    [
      { id: 1, at: null },
      { id: 1, at: "2026-11-27", kind: "x", any: 1, more: 1 },
    ].map(accepts),
  ).toEqual([true, true]);
  const refused = [{ id: 0, at: null }, { id: 1 }, { id: 1, at: "then" }, { id: 1, at: null, kind: "y" }, [], null, "x"];
  expect(refused.filter(accepts)).toEqual([]);
});

test("every index that finds the rows of an owner is an index of its table", () => {
  for (const [name, { indexes, ofAccount, ofSite }] of allTables)
    for (const belonging of [...ofAccount, ...ofSite])
      if (belonging.by === "index") expect([name, belonging.index, belonging.index in indexes]).toEqual([name, belonging.index, true]);
});
