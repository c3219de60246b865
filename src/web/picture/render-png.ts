/** Renders SVG to PNG with the embedded font only. Takes 45 MB while loaded, so the server does it in a thread of its own. */
import { readFile } from "node:fs/promises";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import regular from "../../../node_modules/@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf" with { type: "file" };
import bold from "../../../node_modules/@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf" with { type: "file" };
import wasm from "../../../node_modules/@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };
import { pictureFont } from "./share-picture.ts";

let loading: Promise<readonly Uint8Array[]> | null = null;

/** `svg` is well-formed and names no other file. @throws Error for markup that is not SVG. */
export async function renderPng(svg: string, widthPx: number): Promise<Uint8Array> {
  loading ??= load();
  const fontBuffers = [...(await loading)];
  const renderer = new Resvg(svg, {
    fitTo: { mode: "width", value: widthPx },
    font: { fontBuffers, loadSystemFonts: false, defaultFontFamily: pictureFont },
  });
  try {
    const image = renderer.render();
    try {
      return image.asPng();
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}

/** Bytes of the fonts. */
async function load(): Promise<readonly Uint8Array[]> {
  await initWasm(await readFile(wasm));
  return Promise.all([regular, bold].map((file) => readFile(file)));
}
