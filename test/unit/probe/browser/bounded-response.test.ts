/** Copies of network events, of which a hostile page sends thousands. */
import { expect, test } from "vitest";
import { setCookieLinesMax } from "../../../../src/evidence/limits.ts";
import { boundedExtraInfo } from "../../../../src/probe/browser/bounded-response.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

type ExtraInfo = Parameters<typeof boundedExtraInfo>[0];

test("answers with many cookies take little time", () => {
  const value = "theInternetStation".repeat(26);
  const lines = Array.from({ length: setCookieLinesMax }, (_, at) => `c${at}=${value}; Path=/`);
  const event = { statusCode: 200, headers: { "set-cookie": lines.join("\n") } } as unknown as ExtraInfo;
  const fromMs = cpuMs();
  for (let at = 0; at < 400; at++) expect(boundedExtraInfo(event, false, 512).setCookies).toHaveLength(setCookieLinesMax);
  expect(cpuMs() - fromMs).toBeLessThan(4_000);
});

test("the lines of one answer are limited together", () => {
  const lines = Array.from({ length: 5 }, (_, at) => `c${at}=${"x".repeat(16_000)}`);
  const event = { statusCode: 200, headers: { "set-cookie": lines.join("\n") } } as unknown as ExtraInfo;
  const { setCookies, setCookiesDropped } = boundedExtraInfo(event, false, 16_384);
  expect([setCookies.length, setCookiesDropped]).toEqual([3, 2]);
});
