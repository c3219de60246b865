/** A row that cannot be read hides no other one: lists go on behind it, and their limit counts what they return. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../src/store/database.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

let temporary: TemporaryStore;
beforeEach(() => {
  temporary = temporaryStore();
});
afterEach(() => temporary.stop());

test("rows behind one that cannot be read are listed", async () => {
  const { store, dataDir } = temporary;
  for (const name of ["a", "b", "c", "d"]) await store.accounts.create({ email: `${name}@site.example`, now: new Date() });
  const db = openDatabase(dataDir, { readOnly: false });
  await db.write(() => db.accounts.put(2, { id: 2, email: "b@site.example" } as never));
  expect([...db.accounts.getRange()].map(({ key }) => key)).toEqual([1, 3, 4]);
  expect([...db.accounts.getRange({ limit: 2 })].map(({ key }) => key)).toEqual([1, 3]);
  expect([...db.accounts.getRange({ limit: 0 })]).toEqual([]);
  await db.close();
});
