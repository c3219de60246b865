/** Changes by the API while the store cannot write: only a full disk asks the client to come again. */
import { expect, test } from "vitest";
import { ApiError } from "../../../src/api/errors.ts";
import { refuseFullDisk } from "../../../src/api/operation.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";

const failing = (error: Error) => refuseFullDisk(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

test("a full disk is 503 with Retry-After", async () => {
  const refused = await failing(new DataDirError("full", "no space is left"));
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ status: 503 });
});

test.each([new DataDirError("not-writable", "read-only"), new TypeError("a mistake")])(
  "another fault stays what it is: %s",
  async (error) => {
    expect(await failing(error)).toBe(error);
  },
);

test("what was written is returned", async () => expect(await refuseFullDisk(async () => 7)).toBe(7));
