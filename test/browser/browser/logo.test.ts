/** Uploaded logos: decoded by a browser and drawn again, or refused. */
import { afterAll, describe, expect, test } from "vitest";
import type { DecodedLogo } from "../../../src/base/documents.ts";
import { parseImageSize } from "../../../src/parse/image-size.ts";
import { pixelJpeg } from "../../support/finished-scans.ts";
import { pngChunk, pngFile, pngHeader, pngImage, webpPixels } from "../../support/images.ts";
import { launchPlainBrowser } from "../../support/test-browser.ts";
import { openDocumentsHere, documentTestMsMax as testMsMax } from "./documents-here.ts";

const here = openDocumentsHere();
afterAll(() => here.stop());

async function drawn(file: Uint8Array): Promise<DecodedLogo> {
  const logo = await here.decodeLogo(file);
  if (typeof logo === "string") throw new Error(`${logo}: ${here.logged}`);
  return logo;
}

/** Noise in a lossy format: as PNG it has more bytes than a logo may have. */
async function noisyWebp(): Promise<Buffer> {
  const browser = await launchPlainBrowser();
  const page = await browser.newPage();
  const draw = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [480, 160];
    const image = new ImageData(canvas.width, canvas.height);
    for (let at = 0; at < image.data.length; at += 1) image.data[at] = at % 4 === 3 ? 255 : Math.floor(Math.random() * 256);
    canvas.getContext("2d")?.putImageData(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.8);
  };
  const url = await page.evaluate(draw);
  await browser.close();
  return Buffer.from(url.split(",")[1] ?? "", "base64");
}

describe("a logo", () => {
  test.each<[string, Buffer, number, number]>([
    ["a small PNG keeps its size", pngImage(30, 20, [255, 0, 0, 255]), 30, 20],
    ["a wide PNG is scaled to the width", pngImage(2_000, 100, [255, 0, 0, 255]), 480, 24],
    ["a high PNG is scaled to the height", pngImage(100, 1_600, [255, 0, 0, 128]), 10, 160],
    ["a line stays visible", pngImage(4_000, 1, [0, 0, 0, 255]), 480, 1],
    ["a lossy WebP", webpPixels.lossy, 1, 1],
    ["a lossless WebP", webpPixels.lossless, 1, 1],
  ])(
    "%s",
    async (_name, file, width, height) => {
      const logo = await drawn(file);
      expect([logo.width, logo.height]).toEqual([width, height]);
      expect(parseImageSize(logo.png)).toEqual({ type: "image/png", width, height });
    },
    testMsMax,
  );

  test(
    "of WebP keeps its colours and transparency, and nothing else of the file",
    async () => {
      const browser = await launchPlainBrowser();
      const page = await browser.newPage();
      const draw = () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [60, 40];
        const context = canvas.getContext("2d");
        if (context !== null) context.fillStyle = "rgb(0, 128, 0)";
        context?.fillRect(0, 0, 30, 40);
        return canvas.toDataURL("image/webp", 1);
      };
      const webp = Buffer.from((await page.evaluate(draw)).split(",")[1] ?? "", "base64");
      expect(parseImageSize(webp)).toEqual({ type: "image/webp", width: 60, height: 40 });
      const { png } = await drawn(webp);
      const colors = await page.evaluate(async (base64) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const context = document.createElement("canvas").getContext("2d");
        context?.drawImage(image, 0, 0);
        return [10, 50].map((x) => [...(context?.getImageData(x, 20, 1, 1).data ?? [])]);
      }, Buffer.from(png).toString("base64"));
      await browser.close();
      const [[red = 255, green = 0, blue = 255, alpha] = [], clear = []] = colors;
      expect([red < 8, Math.abs(green - 128) < 8, blue < 8, alpha, clear.at(-1)]).toEqual([true, true, true, 255, 0]);
    },
    testMsMax,
  );

  test(
    "loses the texts and profiles of its file, and what follows its end",
    async () => {
      const plain = pngImage(8, 8, [1, 2, 3, 255]);
      const text = pngChunk("tEXt", Buffer.from("Comment\0SECRET"));
      const file = Buffer.concat([plain.subarray(0, 33), text, plain.subarray(33), Buffer.from("<script>SECRET</script>")]);
      const { png } = await drawn(file);
      expect(Buffer.from(png).toString("latin1")).not.toContain("SECRET");
    },
    testMsMax,
  );

  test(
    "that grows when it is drawn is drawn smaller",
    async () => {
      const noise = await noisyWebp();
      expect([noise.length < 200_000, parseImageSize(noise)]).toEqual([true, { type: "image/webp", width: 480, height: 160 }]);
      const logo = await drawn(noise);
      expect(logo.png.length).toBeLessThanOrEqual(200_000);
      expect([logo.width, logo.height]).toEqual([360, 120]);
    },
    testMsMax,
  );

  test.each<[string, Buffer, string]>([
    ["more bytes than allowed", Buffer.concat([pngImage(8, 8, [0, 0, 0, 255]), Buffer.alloc(200_000)]), "too-large"],
    ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>'), "wrong-type"],
    ["JPEG", pixelJpeg, "wrong-type"],
    ["nothing", Buffer.alloc(0), "wrong-type"],
    ["a side that is too long", pngFile(pngHeader(4_001, 1)), "too-many-pixels"],
    ["too many pixels", pngFile(pngHeader(2_001, 2_000)), "too-many-pixels"],
    ["more pixels than a number of 32 bits counts", pngFile(pngHeader(0x7fffffff, 0x7fffffff)), "too-many-pixels"],
    ["a PNG that is cut off", pngImage(8, 8, [0, 0, 0, 255]).subarray(0, -20), "broken"],
    ["a PNG without image data", pngFile(pngHeader(8, 8)), "broken"],
    ["a PNG whose data are none", pngFile(pngHeader(8, 8), pngChunk("IDAT", Buffer.from("no deflate stream"))), "broken"],
  ])(
    "is refused for %s",
    async (_name, file, fault) => {
      expect(await here.decodeLogo(file)).toBe(fault as never);
    },
    testMsMax,
  );
});
