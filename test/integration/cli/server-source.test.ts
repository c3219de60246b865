/** Scans on a server while it is busy, away or full, and their end by the user: real API and store, short times. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { startProgress } from "../../../src/cli/progress.ts";
import { openServerSource } from "../../../src/cli/scan/server.ts";
import { withTerminal } from "../../../src/cli/terminal.ts";
import { testAuthority } from "../../support/certificates.ts";
import { type ForwardingServer, startForwarding } from "../../support/forwarding-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { type ScanningApi, startScanningApi } from "../../support/scanning-api.ts";

const page = (name: string) => `https://site.example/${name}`;
const timing = {
  startLimitMs: 50,
  runLimitMs: 15_000,
  repeatMs: 20,
  queueLimitMs: 3_000,
  lookMsFirst: 10,
  lookMsMin: 20,
  lookMsMax: 40,
};
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function startServer(settings: Parameters<typeof startScanningApi>[0] = {}): Promise<ScanningApi> {
  const api = await startScanningApi(settings);
  stops.push(() => api.stop());
  return api;
}

interface Call {
  readonly origin: string;
  readonly urls: readonly string[];
  /** Called with each line of stderr. */
  readonly onLine?: (line: string, interrupt: () => void) => void;
  readonly connectTo?: readonly { host: string; port: number; address: string; addressPort: number }[];
}

async function scan(token: string, { origin, urls, onLine, connectTo = [] }: Call) {
  const lines: string[] = [];
  const stop = new AbortController();
  const writeError = (text: string) => {
    lines.push(text.trimEnd());
    onLine?.(text.trimEnd(), () => stop.abort());
  };
  const terminal = { env: {}, stdin: new Blob([]), isInteractive: () => false, writeOut: () => {}, writeError };
  const outcome = await withTerminal(terminal, async () => {
    const address = { origin, token, caPems: [testAuthority().root.pem], dnsServers: [], connectTo, location: null };
    try {
      const source = await openServerSource(address, stop.signal, timing);
      const scanned = await source.scan({ urls, progress: startProgress(urls.length, true, true), stop: stop.signal });
      await source.close();
      return { scanned: scanned.map(({ url, outcome: { status } }) => `${status} ${url}`), error: null };
    } catch (error) {
      return { scanned: [], error: error as Error & { readonly exitCode?: number } };
    }
  });
  return { ...outcome, lines, stderr: lines.join("\n") };
}

async function statusesOf(api: ScanningApi): Promise<readonly string[]> {
  const list = (await (await api.request("/api/v1/scans?limit=100", { token: api.token })).json()) as { items: { status: string }[] };
  return list.items.map(({ status }) => status);
}

const finished = (urls: readonly string[]) => urls.map((url) => `finished ${url}`);

test("a server that nobody can reach is a failure after a short time", async () => {
  const { error } = await scan("token", { origin: `http://127.0.0.1:${portWithoutListener()}`, urls: [page("bare")] });
  expect(error).toMatchObject({ exitCode: 4, message: expect.stringContaining("cannot be reached") });
});

test("a limit of requests slows the call down, and fails nothing", async () => {
  const api = await startServer({ requestLimit: { requestsMax: 4, windowSeconds: 1 } });
  const urls = ["bare", "sound", "shop"].map(page);
  const { scanned, stderr } = await scan(api.token, { origin: api.origin, urls });
  expect(scanned).toEqual(finished(urls));
  expect(stderr).not.toContain("goes on");
});

test("a server that restarts in mid-scan is waited for", async () => {
  const api = await startServer();
  const front: ForwardingServer = await startForwarding("head.test", api.origin);
  stops.push(() => front.stop());
  const connectTo = [{ host: "head.test", port: 443, address: "127.0.0.1", addressPort: front.port }];
  const { scanned, lines } = await scan(api.token, {
    origin: "https://head.test",
    connectTo,
    urls: [page("bare")],
    onLine: (line) => {
      if (line.includes("queued")) front.requestsToRefuse = 2;
    },
  });
  expect(scanned).toEqual(finished([page("bare")]));
  expect(front.requestsToRefuse).toBe(0);
  expect(lines).toContainEqual(expect.stringMatching(/^assay: https:\/\/head\.test cannot be reached: .*; trying again$/));
  expect(lines).toContain("assay: the server answers again");
});

describe("a full queue", () => {
  // An account may fill the whole queue, guests half of it.
  const urls = ["bare?1", "bare?2", "bare?3", "bare?4"].map(page);

  test("takes the rest of the URLs when scans have ended", async () => {
    const api = await startServer({ queueMax: 2 });
    api.pause();
    const { scanned, error } = await scan(api.token, {
      origin: api.origin,
      urls,
      onLine: (line) => {
        if (line.includes("queued")) api.resume();
      },
    });
    expect({ scanned, error }).toEqual({ scanned: finished(urls), error: null });
    expect(await statusesOf(api)).toEqual(urls.map(() => "finished"));
  });
  test("that stays full is a failure, and the scans that wait are cancelled", async () => {
    const api = await startServer({ queueMax: 2 });
    api.pause();
    const { error, stderr } = await scan(api.token, { origin: api.origin, urls });
    expect(error).toMatchObject({ exitCode: 4, message: `the queue of ${api.origin} is full: 2 scans were not started` });
    expect(stderr).toContain("assay: cancelled on the server, as they still waited: 2");
    expect(await statusesOf(api)).toEqual([]);
  });
});

test("a scan that somebody cancels on the server is an own failure", async () => {
  const api = await startServer();
  api.pause();
  const { scanned, stderr } = await scan(api.token, {
    origin: api.origin,
    urls: [page("bare")],
    onLine: (line) => {
      if (line.includes("queued")) void api.request("/api/v1/scans", { token: api.token }).then(cancelAll);
    },
  });
  async function cancelAll(response: Response): Promise<void> {
    const { items } = (await response.json()) as { items: { statusUrl: string }[] };
    for (const { statusUrl } of items) await api.request(statusUrl, { token: api.token, method: "DELETE" });
  }
  expect(scanned).toEqual([`failed ${page("bare")}`]);
  expect(stderr).toContain("it was cancelled there");
});

test("an interruption cancels what waits, and says where the rest can be read", async () => {
  const api = await startServer();
  const urls = ["sound", "pauses", "bare"].map(page);
  const nextRuns = async () => {
    while (!(await statusesOf(api)).includes("running")) await sleep(5);
  };
  const { scanned, stderr } = await scan(api.token, {
    origin: api.origin,
    urls,
    onLine: (line, interrupt) => {
      if (line.includes("finished")) void nextRuns().then(interrupt);
    },
  });
  expect(scanned).toEqual(finished([page("sound")]));
  expect(stderr).toContain("assay: cancelled on the server, as they still waited: 1");
  const [, address = ""] = stderr.match(new RegExp(`the scan of ${page("pauses")} goes on: ${api.origin}(/scans/\\S+)$`, "m")) ?? [];
  expect(address).not.toBe("");
  expect([...(await statusesOf(api))].sort()).toEqual(["finished", "running"]);
});
