/** Browser names from real User-Agents, and none from look-alikes. */
import { expect, test } from "vitest";
import { browserName } from "../../../../src/web/accounts/profile.tsx";
import { cpuMs } from "../../../support/cpu-time.ts";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox 145, Linux"],
  ["Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "Firefox 145, Android"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Chrome 142, Windows",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.3595.65",
    "Edge 142, Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15",
    "Safari 18, macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Safari 18, iOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1",
    "Chrome 142, iOS",
  ],
  [
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Chrome 142, ChromeOS",
  ],
  ["Firefox/145", "Firefox 145"],
])("%s", (userAgent, name) => expect(browserName(userAgent)).toBe(name));

test.each(["", "curl/8.5.0", "Firefox/<b>", "Firefox", "a".repeat(100_000), "Version/".repeat(20_000)])(
  "unknown browser: %s",
  (userAgent) => {
    const fromMs = cpuMs();
    expect(browserName(userAgent)).toBeNull();
    expect(cpuMs() - fromMs).toBeLessThan(2_000);
  },
);
