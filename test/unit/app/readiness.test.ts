/** Readiness of the server, as far as it is decided without one. */
import { expect, test } from "vitest";
import { createReadiness } from "../../../src/app/sockets.ts";
import { createLog } from "../../../src/base/log.ts";

test("a fleet that is away degrades the server, and a missing browser makes it not ready", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => lines.push(line) });
  let browser: string | null = null;
  let fleet: string | null = null;
  const readiness = createReadiness({ browser: () => browser }, { fleet: () => fleet }, log);
  expect(readiness()).toEqual({ ready: true });
  fleet = "disconnected";
  const away = { source: "fleet", because: "disconnected" };
  expect(readiness()).toEqual({ ready: true, degraded: [away] });
  browser = "the browser does not start";
  expect(readiness()).toEqual({ ready: false, reasons: [{ source: "browser", because: browser }, away] });
  browser = null;
  fleet = null;
  expect(readiness()).toEqual({ ready: true });
  expect(lines.map((line) => JSON.parse(line).source)).toEqual(["fleet", "browser", "browser", "fleet"]);
});
