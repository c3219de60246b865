/** WebRTC gathers no address of the machine that runs the browser. */
import type { Browser } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchPlainBrowser } from "../../support/test-browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchPlainBrowser();
});
afterAll(() => browser?.close());

test("no address of this machine, and no name for one", async () => {
  const page = await browser.newPage();
  const { found, sdp } = await page.evaluate(async () => {
    const peer = new RTCPeerConnection();
    const candidates: string[] = [];
    const { promise: gathered, resolve } = Promise.withResolvers<void>();
    peer.onicecandidate = ({ candidate }) => (candidate === null ? resolve() : candidates.push(candidate.candidate));
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
    await gathered;
    return { found: candidates.filter((candidate) => candidate !== ""), sdp: peer.localDescription?.sdp ?? "" };
  });
  expect(found).toEqual([]);
  expect(sdp).toContain("m=application");
  expect(sdp).not.toContain("a=candidate");
  const addresses = sdp.match(/ IP[46] \S+/g)?.map((words) => words.trim());
  expect([...new Set(addresses)].filter((words) => !["IP4 127.0.0.1", "IP4 0.0.0.0"].includes(words))).toEqual([]);
});
