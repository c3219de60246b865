/** Colours of the style sheets: legible in both schemes, also for readers who confuse red and green, and written in one file. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { scoreTones } from "../../../src/text/score-tone.ts";
import { toneColors } from "../../../src/web/picture/share-picture.ts";

// reads: src/report/styles/, src/web/assets/styles/, src/export/file.css
const root = resolve(import.meta.dirname, "../../..");
const tokensFile = "src/report/styles/tokens.css";
const tokens = readFileSync(join(root, tokensFile), "utf8");
const schemes = ["light", "dark"] as const;
/** WCAG 2.2, 1.4.3 and 1.4.11. */
const textContrastMin = 4.5;
const graphicsContrastMin = 3;

type Rgb = readonly [number, number, number];

/** Colour of a token as `#rrggbb`. */
function token(name: string, scheme: (typeof schemes)[number]): string {
  const [, light = "", dark = ""] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens) ?? [];
  const hex = scheme === "light" ? light : dark;
  if (hex === "") throw new Error(`there is no token --${name}`);
  return hex.length === 4 ? hex.replaceAll(/[^#]/g, "$&$&") : hex;
}

/** Linear light of the channels (WCAG 2.2, relative luminance). */
function linear(hex: string): Rgb {
  const channel = (from: number) => {
    const value = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

/** Matrices for linear light: Machado, Oliveira and Fernandes 2009, severity 1.0. */
const sights = {
  "all colours": [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;
type Sight = keyof typeof sights;

function seen(hex: string, sight: Sight): Rgb {
  const [red, green, blue] = linear(hex);
  const row = (at: number) => {
    const [r = 0, g = 0, b = 0] = sights[sight].slice(3 * at);
    return Math.min(1, Math.max(0, r * red + g * green + b * blue));
  };
  return [row(0), row(1), row(2)];
}

function contrast(one: string, other: string, sight: Sight = "all colours"): number {
  const luminance = ([red, green, blue]: Rgb) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const [dark = 0, light = 0] = [one, other].map((hex) => luminance(seen(hex, sight))).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test("the contrast of white and black is 21, and of a colour with itself 1", () => {
  expect(contrast("#ffffff", "#000000")).toBeCloseTo(21);
  expect(contrast("#808080", "#808080")).toBe(1);
});

describe.each(schemes)("in the %s scheme", (scheme) => {
  const grounds = ["bg", "surface", "sunken"];
  test.each(["text", "muted", "accent", ...scoreTones])("text in --%s is legible on each ground", (name) => {
    for (const ground of grounds)
      expect(contrast(token(name, scheme), token(ground, scheme)), ground).toBeGreaterThanOrEqual(textContrastMin);
  });

  test.each(scoreTones)("--%s is legible on its own ground, and as the ground of a chip", (name) => {
    expect(contrast(token(name, scheme), token(`${name}-bg`, scheme))).toBeGreaterThanOrEqual(textContrastMin);
    expect(contrast(token("bg", scheme), token(name, scheme))).toBeGreaterThanOrEqual(textContrastMin);
  });

  test.each(["accent", "accent-strong"])("a button in --%s has a legible text", (name) => {
    expect(contrast(token("on-accent", scheme), token(name, scheme))).toBeGreaterThanOrEqual(textContrastMin);
  });

  test.each(Object.keys(sights) as Sight[])("rings and borders stand out with %s", (sight) => {
    for (const name of ["control", ...scoreTones])
      for (const ground of ["bg", "surface"])
        expect(contrast(token(name, scheme), token(ground, scheme), sight), name).toBeGreaterThanOrEqual(graphicsContrastMin);
  });
});

test("badges and pictures have the colours of the light scheme, under white text", () => {
  for (const tone of scoreTones) {
    expect(toneColors[tone]).toBe(token(tone, "light"));
    expect(contrast(toneColors[tone], "#ffffff")).toBeGreaterThanOrEqual(textContrastMin);
  }
});

test("no style sheet but the tokens has a colour", () => {
  const folders = ["src/report/styles", "src/web/assets/styles"];
  const files = [...folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)), "src/export/file.css"];
  expect(files).toContain(tokensFile);
  const colours =
    /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|light-dark|color-mix)\(|:[^;{]*\b(?:white|black|gr[ae]y|red|green|blue)\b/gi;
  const found = files
    .filter((file) => file !== tokensFile)
    .flatMap((file) =>
      (
        readFileSync(join(root, file), "utf8")
          .replaceAll(/\/\*[\s\S]*?\*\//g, "")
          .match(colours) ?? []
      ).map((colour) => `${file}: ${colour}`),
    );
  expect(found).toEqual([]);
});
