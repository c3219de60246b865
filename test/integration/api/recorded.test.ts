/** Every operation answers as in the release before the API was declared operation by operation: a recording of that release. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordedAnswers } from "../../support/recorded-requests.ts";

// reads: test/integration/api/recorded-answers.txt
const recording = readFileSync(new URL("recorded-answers.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

test("accepted and refused requests get the recorded answers", async () => {
  const answers = await recordedAnswers();
  const changed = answers.flatMap((answer, at) => (answer === recording[at] ? [] : [{ recorded: recording[at], answer }]));
  expect(changed).toEqual([]);
  expect(answers).toHaveLength(recording.length);
});
