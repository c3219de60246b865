/** The list of an account, read page by page for the scans of one call. */
import { describe, expect, test } from "vitest";
import { followedScans } from "../../../src/cli/scan/server.ts";

const urls = ["https://a.example/", "https://b.example/", "https://c.example/"];
const pageItems = 2;
type Status = "queued" | "running" | "finished" | "failed";

/** List of scans with ids from `newest` down to 1; `statuses` by id, `queued` by default, null for one that is gone. */
function listOf(newest: number, statuses: Readonly<Record<number, Status | null>> = {}, location?: string) {
  const asked: (string | null)[] = [];
  const ids = Array.from({ length: newest }, (_, at) => newest - at).filter((id) => statuses[id] !== null);
  return {
    asked,
    page: async (cursor: string | null) => {
      asked.push(cursor);
      const items = ids
        .filter((id) => cursor === null || id < Number(cursor))
        .slice(0, pageItems)
        .map((id) => ({
          token: `t${id}`,
          id,
          status: statuses[id] ?? "queued",
          progressStage: null,
          ...(location === undefined ? {} : { location }),
        }));
      const lowest = items.at(-1)?.id ?? 1;
      return { items, nextCursor: lowest > 1 ? String(lowest) : null };
    },
  };
}

/** Scans 3, 4 and 5. */
function begun() {
  const scans = followedScans(urls);
  for (const [at, url] of urls.entries()) scans.begin(url, { token: `t${at + 3}`, id: at + 3 });
  return scans;
}

describe("a look at the list", () => {
  test("reads down to the oldest open scan", async () => {
    const { asked, page } = listOf(5, { 3: "finished", 4: "running" });
    const { ended, moved, gone } = await begun().look(page);
    expect(asked).toEqual([null, "4"]);
    expect([ended, moved, gone].map((scans) => scans.map(({ token }) => token))).toEqual([["t3"], ["t4"], []]);
  });
  test("skips pages of newer scans from the second look on", async () => {
    const { asked, page } = listOf(9);
    const scans = begun();
    await scans.look(page);
    await scans.look(page);
    expect(asked).toEqual([null, "8", "6", "4", "6", "4"]);
  });
  test("names scans that are gone, also below the last page", async () => {
    const { page } = listOf(5, { 4: null });
    expect((await begun().look(page)).gone.map(({ token }) => token)).toEqual(["t4"]);
    expect((await begun().look(listOf(2).page)).gone.map(({ token }) => token)).toEqual(["t3", "t4", "t5"]);
  });
  test("reports a stage once", async () => {
    const { page } = listOf(5, { 4: "running" });
    const scans = begun();
    expect((await scans.look(page)).moved).toHaveLength(1);
    expect((await scans.look(page)).moved).toEqual([]);
  });
  test("takes a server without locations for local", async () => {
    expect([...(await begun().look(listOf(5).page)).locations]).toEqual(["local"]);
    expect([...(await begun().look(listOf(5, {}, "berlin").page)).locations]).toEqual(["berlin"]);
  });
});

test("a repetition of the start begins no scan twice", () => {
  const scans = begun();
  expect(scans.begin(urls[0] ?? "", { token: "t3", id: 3 })).toBe(false);
  expect(scans.open()).toHaveLength(3);
  expect(scans.unstarted()).toEqual([]);
  expect(scans.isDone()).toBe(false);
});
