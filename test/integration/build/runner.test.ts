/** `build/test.ts` as a process of its own. */
import { expect, test } from "vitest";
import { runCommand } from "../../../build/run-command.ts";

// reaches: build/test.ts

test("a run in which bun test breaks is a failure with its reason", async () => {
  const command = [process.execPath, "build/test.ts", "unit", "test/unit/build/lock-file.test.ts", "--only", "a case that does not exist"];
  const { code, output } = await runCommand(command);
  expect(code).toBe(1);
  expect(output.split("\n").slice(-3)).toEqual(["bun test ended with exit code 1", "0 passed, 1 failed, 0 skipped", ""]);
});
