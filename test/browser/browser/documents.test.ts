/** Browser for documents: tagged PDF files of reports, nothing that a document can reach, and the life of the process. */
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { DecodedLogo } from "../../../src/base/documents.ts";
import { createLog } from "../../../src/base/log.ts";
import { openDocuments } from "../../../src/browser/documents.ts";
import { writeHtml } from "../../../src/export/html.tsx";
import { embeddedLogo } from "../../../src/report/brand.tsx";
import { exportedScan, exportSettings } from "../../support/exported-scans.ts";
import { pngImage, webpPixels } from "../../support/images.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { startHttp } from "../../support/servers.ts";
import { pdfPageTexts } from "../web/pdf-text.ts";
import { openVisitors } from "../web/visitors.ts";
import { openDocumentsHere, patientTimes, documentTestMsMax as testMsMax } from "./documents-here.ts";

const here = openDocumentsHere();
afterAll(() => here.stop());

async function pdfOf(html: string | null): Promise<Buffer> {
  const pdf = await here.printPdf(html ?? "");
  if (typeof pdf === "string") throw new Error(`${pdf}: ${here.logged}`);
  return Buffer.from(pdf);
}

function isRunning(pid: number): boolean {
  try {
    // A zombie has ended.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(20);
}

describe("a printed report", () => {
  test(
    "is tagged, with outline, language and title, on A4",
    async () => {
      const pdf = await pdfOf(writeHtml([exportedScan("shop")], exportSettings({ locale: "de-de" })));
      const text = pdf.toString("latin1");
      expect(text).toMatch(/^%PDF-1\.\d/);
      expect(text).toContain("/StructTreeRoot");
      expect(text).toMatch(/\/MarkInfo\s*<<\s*\/Type\s*\/MarkInfo\s*\/Marked true|\/MarkInfo\s*<<\s*\/Marked true/);
      expect(text).toContain("/Outlines");
      expect(text).toMatch(/\/Lang\s*\(de-DE\)/);
      expect(text).toMatch(/\/MediaBox\s*\[0 0 59[45][.\d]* 84[12]/);
      const pages = pdfPageTexts(pdf);
      expect(pages.length).toBeGreaterThan(2);
      for (const page of pages) expect(page).toContain("shop-muster.org");
    },
    testMsMax,
  );

  test(
    "shows the brand in place of assay, with its logo",
    async () => {
      const logo = embeddedLogo((await here.decodeLogo(pngImage(300, 100, [20, 80, 40, 255]))) as DecodedLogo);
      const brand = { name: "Muster Agentur", logo, accent: "#14501e", footer: "Muster GmbH, Beispielstadt" };
      const html = (brandOrNone: typeof brand | null) => writeHtml([exportedScan("sound")], exportSettings({ brand: brandOrNone }));
      const [branded, plain] = [await pdfOf(html(brand)), await pdfOf(html(null))];
      const text = pdfPageTexts(branded).join("\n");
      expect(text).toContain("Muster Agentur");
      expect(text).toContain("Muster GmbH, Beispielstadt");
      const images = (pdf: Buffer) => pdf.toString("latin1").match(/\/Subtype\s*\/Image/g)?.length ?? 0;
      expect([images(branded) > 0, images(plain)]).toEqual([true, 0]);
    },
    testMsMax,
  );

  test(
    "with hostile text everywhere shows it as text, and reaches nothing",
    async () => {
      const pdf = await pdfOf(writeHtml([exportedScan(poisonedScan())], exportSettings()));
      expect(pdfPageTexts(pdf).join("\n")).toContain("<script>alert(1)</script>");
      expect(pdf.toString("latin1")).not.toMatch(/\/JavaScript|\/Launch|\/EmbeddedFile|\/URI\s*\((javascript|data|file):/i);
    },
    testMsMax,
  );

  test(
    "is printed once for equal requests at the same time, and kept",
    async () => {
      const html = "<!doctype html><title>Once</title><p>Once</p>";
      const [one, other] = await Promise.all([here.printPdf(html), here.printPdf(html)]);
      expect(one).toBe(other as Uint8Array<ArrayBuffer>);
      expect(await here.printPdf(html)).toBe(one as Uint8Array<ArrayBuffer>);
    },
    testMsMax,
  );
});

test(
  "a PDF as large as that of a report for a client with many sites is kept",
  async () => {
    // The browser turns the filtered noise into pixels of the paper's resolution.
    const noise = pngImage(300, 300, "noise").toString("base64");
    const html = `<!doctype html><title>Large</title><img style="width: 600px; filter: blur(.3px)" src="data:image/png;base64,${noise}">`;
    const pdf = await pdfOf(html);
    expect(pdf.length).toBeGreaterThan(9_000_000);
    const first = await here.printPdf(html);
    expect(await here.printPdf(html)).toBe(first as Uint8Array<ArrayBuffer>);
  },
  testMsMax,
);

/** Document as if all escaping and the policy of the document had failed. */
function attackOn(origin: string): string {
  const url = (name: string) => `${origin}/${name}`;
  return `<!doctype html><html><head><title>Attack</title>
    <link rel="stylesheet" href="${url("style")}"><link rel="preload" as="image" href="${url("preload")}"><link rel="prefetch" href="${url("prefetch")}">
    <link rel="preconnect" href="${origin}"><link rel="dns-prefetch" href="${origin}"><base href="${origin}/base/">
    <style>@import "${url("import")}"; body { background: url(${url("background")}) } @font-face { font-family: f; src: url(${url("font")}) } p { font-family: f }</style>
    <script>document.title = "ran"; document.write("<p>SCRIPT RAN</p>"); fetch("${url("fetch")}"); new WebSocket("${url("socket").replace("http", "ws")}"); window.open("${url("open")}")</script>
    <script src="${url("script")}"></script></head>
    <body onload="document.body.textContent = 'SCRIPT RAN'"><p>Harmless text</p>
    <img src="${url("image")}" srcset="${url("srcset")} 2x" onerror="document.body.textContent = 'SCRIPT RAN'"><img src="relative"><img src="https://document.invalid/"><iframe src="${url("frame")}"></iframe>
    <iframe srcdoc="<img src='${url("srcdoc")}'>"></iframe><iframe src="file:///etc/passwd"></iframe><object data="${url("object")}"></object><embed src="${url("embed")}">
    <video src="${url("video")}" poster="${url("poster")}" autoplay></video><audio src="${url("audio")}" autoplay></audio>
    <svg><image href="${url("svg")}"/><use href="${url("use")}#a"/></svg><form action="${url("form")}"><input autofocus></form>
    </body></html>`;
}

test(
  "a hostile document runs no script, and its server sees no request",
  async () => {
    const server = await startHttp({ "*": { body: "SERVED" } });
    const pdf = await pdfOf(attackOn(`http://127.0.0.1:${server.port}`));
    const text = pdfPageTexts(pdf).join("\n");
    expect(text).toContain("Harmless text");
    expect(text).not.toMatch(/SCRIPT RAN|SERVED|root:/);
    expect([server.requests, server.connections]).toEqual([[], 0]);
    // An ordinary browser reaches it by the same document.
    const visitors = await openVisitors();
    const { page } = await visitors.visitor({ origin: `http://127.0.0.1:${server.port}` });
    await page.setContent(attackOn(`http://127.0.0.1:${server.port}`), { waitUntil: "domcontentloaded" });
    await until(() =>
      ["/style", "/image", "/script", "/frame", "/fetch"].every((path) => server.requests.some((each) => each.path === path)),
    );
    await visitors.close();
    await server.stop();
  },
  testMsMax,
);

test(
  "a document that leaves by itself is not printed, or as it was",
  async () => {
    const server = await startHttp({ "*": { body: "SERVED" } });
    const leaving = `<!doctype html><meta http-equiv="refresh" content="0; url=http://127.0.0.1:${server.port}/"><title>Away</title><p>Away`;
    const pdf = await here.printPdf(leaving);
    if (typeof pdf !== "string") expect(pdfPageTexts(pdf).join("\n")).not.toContain("SERVED");
    expect(server.requests).toEqual([]);
    await server.stop();
  },
  testMsMax,
);

describe("the browser for documents", () => {
  test(
    "ends when it is idle, and starts again for the next document",
    async () => {
      const { stop, pid, events, ...documents } = openDocumentsHere({ ...patientTimes, idleMs: 50 });
      expect(await documents.printPdf("<p>one")).toBeInstanceOf(Uint8Array);
      const first = pid();
      await until(() => !isRunning(first));
      expect(await documents.printPdf("<p>two")).toBeInstanceOf(Uint8Array);
      expect(pid()).not.toBe(first);
      expect(events.map(({ event }) => event)).toEqual(["started", "started"]);
      await stop();
      expect(isRunning(pid())).toBe(false);
    },
    testMsMax,
  );

  test(
    "is one for all jobs, and gone after close",
    async () => {
      const { stop, pid, events, ...documents } = openDocumentsHere();
      await Promise.all([documents.printPdf("<p>a"), documents.printPdf("<p>b"), documents.decodeLogo(webpPixels.lossy)]);
      expect(events.filter(({ event }) => event === "started")).toHaveLength(1);
      expect(isRunning(pid())).toBe(true);
      await documents.close();
      expect(isRunning(pid())).toBe(false);
      expect([await documents.printPdf("<p>c"), await documents.decodeLogo(webpPixels.lossy)]).toEqual(["failed", "busy"]);
      await stop();
    },
    testMsMax,
  );

  test(
    "is replaced when a document takes too long, and the next one is printed",
    async () => {
      const { stop, pid, events, logged, ...documents } = openDocumentsHere({ ...patientTimes, printMs: 1 });
      expect(await documents.printPdf("<p>late")).toBe("failed");
      expect(logged.at(-1)).toContain("it took longer than 1 ms");
      const late = pid();
      expect((await documents.decodeLogo(webpPixels.lossy)) as DecodedLogo).toMatchObject({ width: 1, height: 1 });
      expect(isRunning(late)).toBe(false);
      expect(events.some(({ event }) => event === "replaced")).toBe(true);
      await stop();
    },
    testMsMax,
  );

  test(
    "that has too little time left for a document stays, and a logo is not called broken",
    async () => {
      let isHeld = false;
      // No job has the whole time of its work. Once the browser is held, it does nothing from the start of a job on.
      const times = { jobMs: 3_000, printMs: testMsMax, logoMs: testMsMax };
      const { stop, pid, events, logged, ...documents } = openDocumentsHere(times, ({ event }) => {
        if (isHeld && event === "reused") process.kill(pid(), "SIGSTOP");
      });
      const isDecoded = async () => typeof (await documents.decodeLogo(webpPixels.lossy)) !== "string";
      while (!(await isDecoded()));
      const first = pid();
      isHeld = true;
      expect(await documents.decodeLogo(webpPixels.lossy)).toBe("busy");
      expect(logged.at(-1)).toContain("it took longer than");
      isHeld = false;
      process.kill(first, "SIGCONT");
      while (!(await isDecoded()));
      expect(pid()).toBe(first);
      expect(events.filter(({ event }) => event === "replaced")).toEqual([]);
      await stop();
    },
    testMsMax,
  );

  test(
    "that was killed is replaced",
    async () => {
      const { stop, pid, ...documents } = openDocumentsHere();
      expect(await documents.printPdf("<p>before")).toBeInstanceOf(Uint8Array);
      const killed = pid();
      process.kill(killed, "SIGKILL");
      await until(() => !isRunning(killed));
      expect(await documents.printPdf("<p>after")).toBeInstanceOf(Uint8Array);
      expect(pid()).not.toBe(killed);
      await stop();
    },
    testMsMax,
  );

  test(
    "refuses documents when too many wait",
    async () => {
      const { stop, ...documents } = openDocumentsHere();
      const outcomes = await Promise.all(Array.from({ length: 12 }, (_none, at) => documents.printPdf(`<p>${at}`)));
      expect(outcomes.filter((outcome) => outcome === "busy").length).toBeGreaterThanOrEqual(3);
      expect(outcomes[0]).toBeInstanceOf(Uint8Array);
      await stop();
    },
    testMsMax,
  );

  test("that does not start holds up no request for longer than a job may take", async () => {
    const logged: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
    const documents = openDocuments({
      browsers: { prepare: () => new Promise(() => {}), record: () => {} },
      log,
      times: { jobMs: 100, printMs: 60_000 },
    });
    expect(await Promise.all([documents.printPdf("<p>"), documents.decodeLogo(webpPixels.lossy)])).toEqual(["failed", "busy"]);
    expect(logged.every((line) => line.includes("the browser was not ready in time"))).toBe(true);
    await documents.close();
  });

  test("that cannot start fails each document, and is tried again", async () => {
    const logged: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
    let prepared = 0;
    const prepare = async () => {
      prepared += 1;
      throw new Error("the disk is full");
    };
    const documents = openDocuments({ browsers: { prepare, record: () => {} }, log });
    expect([await documents.printPdf("<p>"), await documents.decodeLogo(webpPixels.lossy), prepared]).toEqual(["failed", "busy", 2]);
    expect(logged.map((line) => line.includes("the disk is full"))).toEqual([true, true]);
    await documents.close();
  });
});
