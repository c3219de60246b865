/** A fleet with a site that answers late, so that faults happen in mid-scan. Checks what must hold after each of them. */
import { setTimeout as wait } from "node:timers/promises";
import { startHttp } from "../../support/servers.ts";
import { startFleet, type TestFleet, until } from "./fleet.ts";

const faultyLocation = "berlin";
const firstByteMs = 3_000;
/** A lapsed job, a second gathering, and time for a busy machine. */
export const endMsMax = 180_000;

export interface DisturbedFleet {
  readonly fleet: TestFleet;
  /** Starts a scan at `faultyLocation` and waits until its page is asked for. */
  startedScan(name: string): Promise<string>;
  /** How often a browser asked for the page of a scan. */
  requestsOf(name: string): number;
  /** How often the head that runs now has ended the scan. */
  endsOf(token: string): number;
  /** @throws Error unless the scan finishes, and ends once. */
  finishesOnce(token: string): Promise<void>;
  /** @throws Error unless a scan of the head's own machine finishes. */
  localScansGoOn(): Promise<void>;
  stop(): Promise<void>;
}

/** Enrols the workers `first` and `second`, and starts none. */
export async function startDisturbedFleet(): Promise<DisturbedFleet> {
  const site = await startHttp({
    "/": async (_request, response) => {
      await wait(firstByteMs);
      response.end("<!doctype html><title>slow</title><p>slow");
    },
    "*": { status: 404, body: "not found" },
  });
  const fleet = await startFleet({ headArgs: ["--allow-cidr", "127.0.0.0/8", "--allow-port", "any"] });
  await fleet.enrol("first", faultyLocation);
  await fleet.enrol("second", faultyLocation);

  const url = (name: string) => `http://127.0.0.1:${site.port}/?${name}`;
  const log = () => fleet.head().stderr();
  // Other probes ask for the page too, but only browsers say that they navigate.
  const isNavigation = (headers: Readonly<Record<string, unknown>>) => headers["upgrade-insecure-requests"] !== undefined;
  const requestsOf = (name: string) => site.requests.filter(({ path, headers }) => path === `/?${name}` && isNavigation(headers)).length;
  const running = (token: string) => fleet.withStore(({ scans }) => scans.findByToken(token)?.progressStage !== null);
  const endsOf = (token: string) =>
    log()
      .split("\n")
      .filter((line) => line.includes("scan ended") && line.includes(token)).length;

  async function finishes(token: string): Promise<void> {
    const { status, scanErrorMessage } = await fleet.api.ended(token, endMsMax);
    if (status !== "finished") throw new Error(`scan ${token}: ${status} ${scanErrorMessage}\n${log()}`);
  }

  return {
    fleet,
    requestsOf,
    endsOf,
    startedScan: async (name) => {
      const token = await fleet.scan(url(name), faultyLocation);
      await until(async () => requestsOf(name) > 0 && (await running(token)), endMsMax, log);
      return token;
    },
    finishesOnce: async (token) => {
      await finishes(token);
      await until(() => endsOf(token) > 0, endMsMax, log);
      if (endsOf(token) !== 1) throw new Error(`scan ${token} ended ${endsOf(token)} times\n${log()}`);
    },
    localScansGoOn: async () => finishes(await fleet.scan(url("local"))),
    stop: async () => {
      await fleet.stop();
      await site.stop();
    },
  };
}
