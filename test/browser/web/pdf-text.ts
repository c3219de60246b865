/** Texts of the PDF files that Chromium prints: enough of the format for its own output, and no more. */
import { inflateSync } from "node:zlib";

/** Glyphs of a font by their number in the content streams (PDF 32000-1, section 9.10.3). */
type Glyphs = ReadonlyMap<number, string>;

/** Text of each page, with single spaces. Ligatures are taken apart. */
export function pdfPageTexts(file: Uint8Array): readonly string[] {
  const objects = objectsOf(Buffer.from(file).toString("latin1"));
  const fonts = new Map<number, Glyphs>();
  for (const [number, body] of objects) {
    const map = /\/ToUnicode (\d+) 0 R/.exec(body)?.[1];
    if (map !== undefined) fonts.set(number, glyphsOf(streamOf(objects, Number(map))));
  }
  return [...objects.values()].filter((body) => /\/Type\s*\/Page\b/.test(body)).map((body) => textOf(body, objects, fonts));
}

function objectsOf(file: string): ReadonlyMap<number, string> {
  return new Map([...file.matchAll(/(?:^|\n)(\d+) 0 obj\b([\s\S]*?)\nendobj/g)].map(([, number, body = ""]) => [Number(number), body]));
}

function streamOf(objects: ReadonlyMap<number, string>, number: number): string {
  const body = objects.get(number) ?? "";
  const [start = "", length] = /^[\s\S]*?\/Length (\d+)[\s\S]*?stream\r?\n/.exec(body) ?? [];
  const bytes = body.slice(start.length, start.length + Number(length));
  return start.includes("/FlateDecode") ? inflateSync(Buffer.from(bytes, "latin1")).toString("latin1") : bytes;
}

function glyphsOf(map: string): Glyphs {
  const glyphs = new Map<number, string>();
  for (const [, block = ""] of map.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, glyph = "", text = ""] of block.matchAll(/<(\w+)>\s*<(\w+)>/g)) glyphs.set(hex(glyph), utf16(text));
  for (const [, block = ""] of map.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
    for (const [, from = "", to = "", text = ""] of block.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g))
      for (let glyph = hex(from); glyph <= hex(to); glyph++) glyphs.set(glyph, String.fromCodePoint(hex(text) + glyph - hex(from)));
  return glyphs;
}

const hex = (digits: string) => Number.parseInt(digits, 16);
const utf16 = (digits: string) => Buffer.from(digits, "hex").swap16().toString("utf16le");

function textOf(page: string, objects: ReadonlyMap<number, string>, fonts: ReadonlyMap<number, Glyphs>): string {
  const fontNumbers = new Map([...page.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = "", number]) => [name, Number(number)]));
  const contents = /\/Contents\s*(\[[^\]]*\]|\d+ 0 R)/.exec(page)?.[1] ?? "";
  const commands = [...contents.matchAll(/(\d+) 0 R/g)].map(([, number]) => streamOf(objects, Number(number))).join("\n");
  let glyphs: Glyphs | undefined;
  let text = "";
  for (const [command, font, shown] of commands.matchAll(/\/(F\d+) [\d.]+ Tf|((?:<[0-9A-Fa-f]+>|\[[^\]]*\])\s*T[jJ])|\bET\b/g)) {
    if (font !== undefined) glyphs = fonts.get(fontNumbers.get(font) ?? -1);
    else if (shown === undefined) text += command === "ET" ? " " : "";
    else for (const [digits] of shown.matchAll(/[0-9A-Fa-f]{4}/g)) text += glyphs?.get(hex(digits)) ?? "";
  }
  return text.normalize("NFKC").replaceAll(/\s+/g, " ");
}
