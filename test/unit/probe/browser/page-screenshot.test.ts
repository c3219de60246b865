/** Deadline of a screenshot on a machine that stands still: the browser is not to blame. */
import { describe, expect, test } from "vitest";
import { watchStandstill } from "../../../../src/base/standstill.ts";
import { type PageImage, takeScreenshot } from "../../../../src/probe/browser/page-screenshot.ts";
import { withScreenshot } from "../../../../src/scan/gather.ts";
import { fakeClock, settled } from "../../../support/fake-clock.ts";

type Clock = ReturnType<typeof fakeClock>;

const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
/** A little more than the deadline of a screenshot. */
const deadlineMs = 2_010;

/** The image, and the commands that the browser got. `pass`: time that passes until the browser answers, or for ever. */
async function shot(pass: (clock: Clock, answer: () => void) => Promise<void>): Promise<readonly [PageImage | "none", number]> {
  const clock = fakeClock();
  const standstill = watchStandstill(clock);
  const answered = Promise.withResolvers<{ readonly data: string }>();
  let commands = 0;
  const session = {
    send: () => {
      commands++;
      return answered.promise;
    },
  };
  let image: PageImage | "none" = "none";
  const taken = takeScreenshot(session as never, { clock, stoodMs: standstill.totalMs }).then((each) => {
    image = each;
  });
  await pass(clock, () => answered.resolve({ data: jpeg.toString("base64") }));
  await settled();
  if (image !== "none") await taken;
  standstill.stop();
  return [image, commands];
}

const stall = async (clock: Clock, ms: number) => {
  clock.stall(ms);
  await settled();
};
/** A whole deadline, which a standstill extends to 12.1 seconds: three times its length after the 6.1 seconds. */
const hinderedDeadline = async (clock: Clock) => {
  await stall(clock, 6_100);
  await clock.pass(6_000);
};

describe("a screenshot", () => {
  test("is late if the browser is silent while all timers fire in time", async () => {
    expect(await shot((clock) => clock.pass(deadlineMs))).toEqual(["late", 1]);
  });

  test("is waited for once more after a standstill, by the same command", async () => {
    const outcome = await shot(async (clock, answer) => {
      await hinderedDeadline(clock);
      await clock.pass(1_900);
      answer();
    });
    expect(outcome).toEqual([new Uint8Array(jpeg), 1]);
  });

  test("is late if only the first deadline was hindered: then the browser had its time", async () => {
    const outcome = await shot(async (clock) => {
      await hinderedDeadline(clock);
      await clock.pass(deadlineMs);
    });
    expect(outcome).toEqual(["late", 1]);
  });

  test("is hindered if the machine stood still in both", async () => {
    const outcome = await shot(async (clock) => {
      await hinderedDeadline(clock);
      await hinderedDeadline(clock);
    });
    expect(outcome).toEqual(["hindered", 1]);
  });

  test("is late after a standstill that is too short to be the reason", async () => {
    const outcome = await shot(async (clock) => {
      await stall(clock, 900);
      await clock.pass(2_000);
    });
    expect(outcome).toEqual(["late", 1]);
  });
});

describe("a browser that showed pages before", () => {
  /** Why it is replaced, and whether the scan is gathered once more. */
  function outcomeOf(image: PageImage): readonly [readonly string[], boolean] {
    const illnesses: string[] = [];
    const browser = { isFresh: false, reportIllness: (because: string) => void illnesses.push(because) };
    return [illnesses, withScreenshot(browser, image, false).browserBroke];
  }

  test.each<[PageImage, readonly string[], boolean]>([
    [new Uint8Array(jpeg), [], false],
    [null, [], false],
    ["hindered", [], false],
    ["late", ["it took no screenshot in time"], true],
  ])("with the screenshot %s", (image, illnesses, isRepeated) => {
    expect(outcomeOf(image)).toEqual([illnesses, isRepeated]);
  });
});
