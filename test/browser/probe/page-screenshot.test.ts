/** Screenshots of real pages: content, size limit, and absence. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { type Answer, egressTo, type Route, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, visitAndShoot } from "../../support/visits.ts";

let browser: TestBrowser;
const running: { stop(): unknown }[] = [];

beforeAll(() => {
  browser = openTestBrowser();
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

afterAll(() => browser.stop());

async function shoot(route: Route, options: { readonly screenshot?: boolean } = {}) {
  const server = await startHttps(siteIdentity("site.test"), { "/": route });
  running.push(server);
  return visitAndShoot(browser, "https://site.test/", { egress: egressTo({ "site.test:443": server }), ...options });
}

const html = (body: string): Answer => ({ headers: { "content-type": "text/html" }, body: `<!doctype html><title>page</title>${body}` });

/** Width and height from the frame header (ISO/IEC 10918-1, B.2.2). */
function sizeOf(jpeg: Uint8Array): readonly number[] {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.length);
  for (let at = 2; at < jpeg.length; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker === 0xffc0 || marker === 0xffc2) return [view.getUint16(at + 7), view.getUint16(at + 5)];
  }
  throw new Error("no frame header");
}

const noise = `<canvas width=1280 height=800></canvas><style>body{margin:0}</style><script>
  const context = document.querySelector("canvas").getContext("2d");
  const pixels = context.createImageData(1280, 800);
  pixels.data.forEach((_, at) => { pixels.data[at] = at % 4 === 3 ? 255 : Math.random() * 256; });
  context.putImageData(pixels, 0, 0);
</script>`;

describe("a screenshot", () => {
  test("is a JPEG of the viewport only", async () => {
    const { readings, screenshot } = await shoot(
      html(`<h1>Hello</h1><div style="height:30000px;width:5000px">${"word ".repeat(9_000)}</div>`),
    );
    expect(screenshot).toBeInstanceOf(Uint8Array);
    expect(sizeOf(screenshot as Uint8Array)).toEqual([1_280, 800]);
    expect(screenshot?.length).toBeLessThan(400_000);
    expect(factsOf(readings, "dom").title).toBe("page");
  });

  test("shows the page, not a blank image", async () => {
    const [empty, full] = [await shoot(html("")), await shoot(html(`<p>${"many words ".repeat(2_000)}</p>`))];
    expect(full.screenshot?.length).toBeGreaterThan(3 * (empty.screenshot?.length ?? 0));
  });

  test("is repeated with lower quality if too large, or omitted", async () => {
    const { readings, screenshot } = await shoot(html(noise));
    expect(readings.page.status).toBe("read");
    expect(screenshot?.length ?? 0).toBeLessThanOrEqual(400_000);
  });

  test("is absent without a shown document, and if not requested", async () => {
    expect((await shoot({ headers: { "content-type": "application/octet-stream" }, body: "bytes" })).screenshot).toBeNull();
    expect((await shoot(html("<h1>Hello</h1>"), { screenshot: false })).screenshot).toBeNull();
    const unreachable = { egress: egressTo({ "site.test:443": { port: portWithoutListener() } }) };
    expect((await visitAndShoot(browser, "https://site.test/", unreachable)).screenshot).toBeNull();
  });

  test("of a page with a busy main thread is late, and ends in time", async () => {
    const { readings, screenshot } = await shoot(html("<script>onload = () => setTimeout(() => { for (;;); }, 20)</script>"));
    expect(screenshot).toBe("late");
    expect(readings.page.status).toBe("read");
    expect(readings.dom.status).toBe("failed");
  });

  test("of a page with endless dialogs is taken as well", async () => {
    const { screenshot } = await shoot(
      html("<h1>Hello</h1><script>setInterval(() => alert('stay'), 5); onbeforeunload = () => 'stay'</script>"),
    );
    expect(screenshot).toBeInstanceOf(Uint8Array);
  });
});
