/** Course of a watched site: the last score of each day, the change within some days, and the line. */
import { describe, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import { courseDays, courseLineOf, courseWith, type DayScore, scoreChangeOf } from "../../../src/store/sites.ts";

const today = 20_000;
const now = new Date(today * dayMs + dayMs / 2);
const at = (day: number, share = 0.1) => new Date((day + share) * dayMs).toISOString();
const courseOf = (...scores: readonly DayScore[]) =>
  scores.reduce<readonly DayScore[]>((course, [day, score]) => courseWith(course, { at: at(day), score }), []);

describe("the course", () => {
  test("has the last score of each day", () => {
    const first = courseWith([], { at: at(today, 0.1), score: 90 });
    expect(courseWith(first, { at: at(today, 0.9), score: 50 })).toEqual([[today, 50]]);
  });

  test("keeps its days and the last score before them, whatever the number of runs", () => {
    const days = Array.from({ length: 100 }, (_none, day): DayScore => [today - 99 + day, day]);
    const course = courseOf(...days);
    expect([course.length, course[0], course.at(-1)]).toEqual([courseDays + 1, [today - courseDays, 69], [today, 99]]);
    const monthly = courseOf([today - 62, 80], [today - 31, 70], [today, 60]);
    expect(monthly).toEqual([
      [today - 31, 70],
      [today, 60],
    ]);
  });

  test("forgets days ahead after the clock was set back", () => {
    expect(courseOf([today - 1, 80], [today + 400, 70], [today, 60])).toEqual([
      [today - 1, 80],
      [today, 60],
    ]);
  });
});

describe("the change within seven days", () => {
  test.each<readonly [string, readonly DayScore[], number | null]>([
    ["nothing is known", [], null],
    ["one run", [[today, 80]], null],
    [
      "a run today and one a week ago",
      [
        [today - 7, 90],
        [today, 80],
      ],
      -10,
    ],
    [
      "the score before the week counts, not an older one",
      [
        [today - 20, 10],
        [today - 8, 90],
        [today - 3, 70],
        [today, 95],
      ],
      5,
    ],
    [
      "a new site is compared with its first run",
      [
        [today - 2, 60],
        [today, 80],
      ],
      20,
    ],
    [
      "no run within the week",
      [
        [today - 20, 90],
        [today - 8, 50],
      ],
      null,
    ],
    [
      "the same score",
      [
        [today - 7, 90],
        [today, 90],
      ],
      0,
    ],
  ])("%s", (_case, course, change) => expect(scoreChangeOf({ course }, 7, now)).toBe(change));

  test("is unknown for a row of an earlier release", () => expect(scoreChangeOf({}, 7, now)).toBeNull());
});

test("the line begins with the score that held when its days began, and leaves out what was before", () => {
  const course: readonly DayScore[] = [
    [today - 45, 20],
    [today - 33, 90],
    [today - 15, 80],
    [today, 70],
  ];
  expect(courseLineOf({ course }, now)).toEqual({ scores: [90, 80, 70], places: [0, 0.5, 1] });
  expect(courseLineOf({}, now)).toEqual({ scores: [], places: [] });
});
