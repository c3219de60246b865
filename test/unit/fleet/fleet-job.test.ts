/** Jobs as a worker takes them: what it refuses, and how its own settings bound the rest. */
import { describe, expect, test } from "vitest";
import { type FleetJob, fleetProtocol, parseFleetJob } from "../../../src/fleet/messages.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";

const job: FleetJob = {
  v: fleetProtocol,
  token: "a-token_1",
  attempt: 1,
  url: "https://shop.test/",
  scannedAt: "2026-11-22T10:00:00.000Z",
  deadlines: defaultDeadlines,
  screenshot: true,
  headerCharsMax: 4_096,
};

const parsed = (value: unknown, own = defaultDeadlines) => parseFleetJob(Buffer.from(JSON.stringify(value)), own);

test("a job is taken as it is; members of later releases are dropped or kept, never obeyed", () => {
  expect(parsed(job)).toEqual(job);
  expect(parsed({ ...job, egress: { profile: "internal" } })).toMatchObject(job);
});

test("each deadline is at most that of the worker", () => {
  const own = { ...defaultDeadlines, scanMs: 5_000, navigationMs: 4_000, settleMs: 0 };
  const asked = { ...defaultDeadlines, scanMs: 600_000, navigationMs: 600_000, settleMs: 60_000, probeMs: 10 };
  expect(parsed({ ...job, deadlines: asked }, own)).toEqual({ ...job, deadlines: { ...own, probeMs: 10 } });
});

describe("a job is refused", () => {
  const refusals: readonly (readonly [name: string, value: unknown, fault: string])[] = [
    ["of another protocol", { ...job, v: 2 }, "wrong value at /v"],
    ["to a file", { ...job, url: "file:///etc/passwd" }, "must be an absolute URL"],
    ["with credentials", { ...job, url: "https://a:b@shop.test/" }, "user name"],
    ["in another form", { ...job, url: "https://SHOP.test" }, "another form"],
    ["with a long URL", { ...job, url: `https://shop.test/${"x".repeat(2_048)}` }, "wrong value at /url"],
    ["without a time", { ...job, scannedAt: "yesterday" }, "no valid time"],
    ["with a negative deadline", { ...job, deadlines: { ...defaultDeadlines, scanMs: -1 } }, "/deadlines/scanMs"],
    ["without a deadline", { ...job, deadlines: {} }, "/deadlines"],
    ["with a deadline that is no number", { ...job, deadlines: { ...defaultDeadlines, probeMs: "9" } }, "/deadlines/probeMs"],
    ["with boundless headers", { ...job, headerCharsMax: 1e9 }, "/headerCharsMax"],
  ];

  test.each(refusals)("%s, and its sender can be answered", (_name, value, fault) => {
    const refused = parsed(value);
    expect(refused).toMatchObject({ address: { token: job.token, attempt: 1 } });
    expect("fault" in refused ? refused.fault : "").toContain(fault);
  });

  test.each([
    ["without a token", { ...job, token: undefined }],
    ["with a token that would change the subject", { ...job, token: "x.>" }],
    ["without an attempt", { ...job, attempt: 0 }],
    ["that is no object", []],
    ["that is larger than any", { ...job, more: "x".repeat(4_000) }],
  ])("%s, and cannot be answered", (_name, value) => {
    expect(parsed(value)).toMatchObject({ address: null });
  });

  test("that is not JSON, or not UTF-8", () => {
    expect(parseFleetJob(Buffer.from("{"), defaultDeadlines)).toMatchObject({ address: null });
    expect(parseFleetJob(Uint8Array.of(0xff, 0xfe), defaultDeadlines)).toMatchObject({ address: null });
  });
});

describe("a job that visits", () => {
  const answers = [{ url: "https://cdn.test/a.js", name: "script-host" }];
  const canaries = { token: "a-_b", host: "canary.test", html: "<script></script>", withoutMetaPolicies: false, answers };
  const overrides = {
    ...{ origin: "https://shop.test", nonce: "abc", canaries },
    headers: [
      { name: "Content-Security-Policy", value: "default-src 'none'" },
      { name: "Server", value: null },
    ],
  };
  const visit = { ...job, visit: { overrides } };
  const ofBytes = (bytes: number, value: object) => {
    const size = Buffer.byteLength(JSON.stringify({ ...value, more: "" }));
    return { ...value, more: "x".repeat(bytes - size) };
  };

  test("is taken with its changes, and without any", () => {
    expect(parsed(visit)).toEqual(visit);
    const unchanged = { ...job, visit: { overrides: null } };
    expect(parsed(unchanged)).toEqual(unchanged);
  });

  test("may have 32 KB; a scan has the limit that it had", () => {
    expect(parsed(ofBytes(32_768, visit))).not.toHaveProperty("fault");
    expect(parsed(ofBytes(32_769, visit))).toEqual({ fault: "has more than 32768 bytes", address: null });
    expect(parsed(ofBytes(3_072, job))).not.toHaveProperty("fault");
    expect(parsed(ofBytes(3_073, job))).toEqual({ fault: "has more than 3072 bytes", address: null });
  });

  test.each([
    ["without changes or null", {}, "/visit/overrides"],
    ["with a header that has no name", { overrides: { ...overrides, headers: [{ value: "x" }] } }, "/visit/overrides"],
    ["with too many headers", { overrides: { ...overrides, headers: Array(65).fill(overrides.headers[1]) } }, "/visit/overrides"],
    ["with code as the token", { overrides: { ...overrides, canaries: { ...canaries, token: "'];alert(1)//" } } }, "/visit/overrides"],
  ])("is refused %s, and its sender can be answered", (_name, wrong, place) => {
    const refused = parsed({ ...job, visit: wrong });
    expect(refused).toMatchObject({ address: { token: job.token, attempt: 1 } });
    expect("fault" in refused ? refused.fault : "").toContain(place);
  });
});
