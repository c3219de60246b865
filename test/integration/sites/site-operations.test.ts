/** Use cases of watched sites over a real store: outcome, log line, audit entry and refusals. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseSiteFields } from "../../../src/sites/site-fields.ts";
import {
  acceptFinding,
  addSite,
  addSites,
  previewSites,
  removeSites,
  type SiteActor,
  scanSite,
  scanSites,
  updateSite,
  updateSites,
  withdrawAcceptance,
} from "../../../src/sites/site-operations.ts";
import { acceptedFindingsMax, type Site, type SiteFields } from "../../../src/store/sites.ts";
import { measureOften } from "../../support/measured-sites.ts";
import { rigStart, type UseCaseRig, useCaseRig } from "../../support/use-case-rig.ts";
import { addSite as storeSite } from "../../support/watched-sites.ts";

const hourMs = 3_600_000;
let rig: UseCaseRig;
let actor: SiteActor;
let ids: { readonly owner: number; readonly by: number };

beforeAll(() => {
  rig = useCaseRig();
});
beforeEach(async () => {
  actor = { owner: await rig.account(), by: await rig.account() };
  ids = { owner: actor.owner.id, by: actor.by.id };
  rig.sites.reset();
  for (const forget of [rig.logged, rig.audited, rig.calls]) forget();
});
/** Sites are measured with an empty queue. */
afterEach(async () => {
  for (;;) {
    const scan = await rig.store.scans.claimNext("local", rigStart);
    if (scan === undefined) return;
    await rig.store.scans.fail(scan.token, { code: "crashed", evidence: null, timings: {}, now: rigStart });
  }
});
afterAll(() => rig.stop());

function fieldsOf(url: string, given: object = {}): SiteFields {
  const parsed = parseSiteFields({ url, ...given }, { locations: [] });
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed;
}

const stored = (url = "https://shop.example/"): Promise<Site> => storeSite(rig.store, { accountId: ids.owner, url, now: rigStart });
const find = ({ id }: Site) => rig.store.sites.find(ids.owner, id);

describe("adding", () => {
  test("stores the site, wakes the clock, and logs owner and actor", async () => {
    const added = await addSite(rig.context, actor, fieldsOf("https://shop.example/", { tags: ["live"] }));
    expect(added).toMatchObject({ done: { accountId: ids.owner, tags: ["live"], nextRunAt: rigStart.toISOString() } });
    expect(rig.store.sites.list(ids.owner)).toEqual(["done" in added && added.done]);
    expect(rig.logged()).toEqual([["sites added", { ...ids, sites: 1 }]]);
    expect(rig.sites.woken.clock).toBe(1);
  });

  test("refuses an address that is watched, and a site beyond the plan, without a log line", async () => {
    const free: SiteActor = { ...actor, owner: { id: ids.owner, plan: "free" } };
    for (const name of ["a", "b", "c"]) await stored(`https://${name}.example/`);
    expect(await addSite(rig.context, actor, fieldsOf("https://a.example/"))).toEqual({ refused: "url-taken" });
    expect(await addSite(rig.context, free, fieldsOf("https://d.example/"))).toEqual({ refused: "full" });
    expect([rig.logged(), rig.sites.woken.clock]).toEqual([[], 0]);
  });

  test("adds many, in their order, and lets other requests in between", async () => {
    const sites = Array.from({ length: 41 }, (_, at) => fieldsOf(`https://${at % 40}.example/`));
    let isInterrupted = false;
    setImmediate(() => {
      isInterrupted = true;
    });
    const preview = await previewSites(rig.context, actor, sites);
    expect(isInterrupted).toBe(true);
    expect([preview.length, preview[1], preview[40]]).toMatchObject([41, { url: "https://1.example/" }, "url-taken"]);
    expect([rig.store.sites.count(ids.owner), rig.logged()]).toEqual([0, []]);
    const outcomes = await addSites(rig.context, actor, sites);
    expect([outcomes.length, outcomes[1], outcomes[40]]).toMatchObject([41, { url: "https://1.example/" }, "url-taken"]);
    expect(rig.logged()).toEqual([["sites added", { ...ids, sites: 40 }]]);
  });
});

describe("changing", () => {
  test("plans the runs anew and logs the site", async () => {
    const site = await stored();
    const paused = await updateSite(rig.context, actor, { id: site.id, change: () => ({ paused: true }) });
    expect(paused).toEqual({ done: { ...site, paused: true, nextRunAt: null } });
    expect(find(site)?.paused).toBe(true);
    expect(rig.logged()).toEqual([["site changed", { ...ids, site: site.id }]]);
    expect(rig.sites.woken.clock).toBe(1);
  });

  test("sees the site as it is stored, and leaves it with faults or after another change", async () => {
    const site = await stored();
    const fault = { field: "name", code: "too-long", max: 100 } as const;
    const seen: Site[] = [];
    const answer = (value: null | { faults: readonly (typeof fault)[] }) => (read: Site) => {
      seen.push(read);
      return value;
    };
    expect(await updateSite(rig.context, actor, { id: site.id, change: answer({ faults: [fault] }) })).toEqual({ faults: [fault] });
    expect(await updateSite(rig.context, actor, { id: site.id, change: answer(null) })).toEqual({ refused: "outdated" });
    expect([seen, find(site)]).toEqual([[site, site], site]);
    expect([rig.logged(), rig.sites.woken.clock]).toEqual([[], 0]);
  });

  test("refuses an address that is watched, and a site of another account", async () => {
    const [site, other] = [await stored(), await stored("https://other.example/")];
    const change = () => ({ url: other.url });
    expect(await updateSite(rig.context, actor, { id: site.id, change })).toEqual({ refused: "url-taken" });
    const others: SiteActor = { owner: { id: ids.by, plan: "agency" }, by: actor.by };
    expect(await updateSite(rig.context, others, { id: site.id, change })).toEqual({ refused: "unknown" });
    expect(rig.logged()).toEqual([]);
  });

  test("of several: each is changed, unknown or faulty for itself", async () => {
    const tags = Array.from({ length: 20 }, (_, at) => `tag ${at}`);
    const site = await stored();
    const full = await storeSite(rig.store, { accountId: ids.owner, url: "https://full.example/", tags, now: rigStart });
    const change = { addTags: ["live"], removeTags: [] };
    const outcomes = await updateSites(rig.context, actor, { ids: [site.id, full.id, 999_999], change });
    expect([...outcomes]).toEqual([
      [site.id, { ...site, tags: ["live"] }],
      [full.id, { faults: [{ field: "tags", code: "too-many", max: 20 }] }],
    ]);
    expect(rig.logged()).toEqual([["sites changed", { ...ids, sites: 1 }]]);
    await updateSites(rig.context, actor, { ids: [full.id], change });
    expect([rig.logged(), rig.sites.woken.clock]).toEqual([[], 1]);
  });
});

test("removing logs and audits who removed which sites", async () => {
  const [one, two] = [await stored(), await stored("https://other.example/")];
  expect(await removeSites(rig.context, actor, [one.id, 999_999, two.id])).toEqual([one.id, two.id]);
  expect(rig.store.sites.list(ids.owner)).toEqual([]);
  expect(rig.logged()).toEqual([["sites deleted", { ...ids, sites: 2 }]]);
  expect(rig.audited()).toEqual([
    {
      actor: { kind: "account", id: ids.by },
      action: "site.removed",
      subject: { kind: "account", id: ids.owner },
      details: { sites: `${one.id} ${two.id}` },
    },
  ]);
  expect(await removeSites(rig.context, actor, [one.id])).toEqual([]);
  expect([rig.logged(), rig.audited()]).toEqual([[], []]);
});

describe("scanning now", () => {
  test("starts a run, and wakes dispatcher and clock", async () => {
    const site = await stored();
    expect(await scanSite(rig.context, actor, site.id)).toMatchObject({ done: { kind: "manual", scans: [{ url: site.url }] } });
    expect(rig.logged()).toEqual([["runs of sites started", { ...ids, sites: 1 }]]);
    expect([rig.calls(), rig.sites.woken.clock]).toEqual([["wake"], 1]);
    expect(await scanSite(rig.context, actor, site.id)).toEqual({ refused: "busy" });
    expect(await scanSite(rig.context, actor, 999_999)).toEqual({ refused: "unknown" });
    expect([rig.logged(), rig.calls()]).toEqual([[], []]);
  });

  test("of several: a refusal stops no other, also when the queue is full", async () => {
    const small = useCaseRig({ queueMax: 4 });
    const owner = await small.account();
    const ids: number[] = [];
    for (let at = 0; at < 5; at++) {
      const { id } = await storeSite(small.store, { accountId: owner.id, url: `https://${at}.example/`, now: rigStart });
      ids.push(id);
    }
    const runs = await scanSites(small.context, { owner, by: owner }, [999_999, ...ids]);
    const started = runs.filter((run) => typeof run !== "string").length;
    expect([runs[0], runs.at(-1), started > 0]).toEqual(["unknown", "full", true]);
    expect(small.logged()).toEqual([["runs of sites started", { owner: owner.id, by: owner.id, sites: started }]]);
    await small.stop();
  });
});

describe("accepted findings", () => {
  const unknownCode = "security.missing-header.no-such-header";
  const reason = { reason: "old plugin", until: null };

  async function measured(): Promise<{ readonly site: Site; readonly code: string; readonly open: number }> {
    const shows = [-3, -2, -1].map(
      (hour) => ({ at: new Date(rigStart.getTime() + hour * hourMs), shows: hour === -3 ? "sound" : "bare" }) as const,
    );
    const site = await measureOften(rig.store, await stored(), shows);
    const [code = ""] = Object.keys(rig.store.siteRuns.state(site.id).findings);
    return { site, code, open: site.reading?.open ?? 0 };
  }

  test("an acceptance leaves the finding out of the open ones, until it is withdrawn", async () => {
    const { site, code, open } = await measured();
    const accepted = await acceptFinding(rig.context, actor, { id: site.id, code, ...reason, onlyOpen: true });
    expect(accepted).toEqual({ done: { code, ...reason, acceptedAt: rigStart.toISOString() } });
    expect(find(site)).toMatchObject({ accepted: [{ code }], reading: { open: open - 1 } });
    expect(rig.logged()).toEqual([["finding accepted", { ...ids, site: site.id, code }]]);
    expect(await withdrawAcceptance(rig.context, actor, { id: site.id, code })).toEqual({ done: null });
    expect(find(site)).toMatchObject({ accepted: [], reading: { open } });
    expect(rig.logged()).toEqual([["acceptance withdrawn", { ...ids, site: site.id, code }]]);
    expect(await withdrawAcceptance(rig.context, actor, { id: site.id, code })).toEqual({ refused: "not-accepted" });
  });

  test("refuses faults, findings that are not open, other sites, and too many", async () => {
    const { site, code } = await measured();
    const given = { id: site.id, code: unknownCode, ...reason };
    expect(await acceptFinding(rig.context, actor, { ...given, reason: "" })).toEqual({ faults: [{ field: "reason", code: "required" }] });
    expect(await acceptFinding(rig.context, actor, { ...given, onlyOpen: true })).toEqual({ refused: "not-open" });
    expect(await acceptFinding(rig.context, actor, { ...given, id: 999_999 })).toEqual({ refused: "unknown" });
    expect(await withdrawAcceptance(rig.context, actor, { id: 999_999, code })).toEqual({ refused: "unknown" });
    const full = Array.from({ length: acceptedFindingsMax }, (_, at) => ({ code: `security.a.b${at}`, ...reason, acceptedAt: "" }));
    await rig.store.sites.change(ids.owner, site.id, () => ({ accepted: full }));
    expect(await acceptFinding(rig.context, actor, given)).toEqual({ refused: "full" });
    expect(find(site)?.accepted).toEqual(full);
    expect(rig.logged()).toEqual([]);
  });

  test("accepts a finding that is not open, unless it must be", async () => {
    const site = await stored();
    expect(await acceptFinding(rig.context, actor, { id: site.id, code: unknownCode, ...reason })).toMatchObject({
      done: { code: unknownCode },
    });
  });
});
