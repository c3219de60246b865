/** Accessibility checks in the browser: axe, reflow, text spacing and clipped text. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "puppeteer-core";

const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** WCAG 2.2 AA and best practices. */
const axeTags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Characters of an element shown in a message. */
const markupCharsMax = 160;

/** Rules that need the place of every element, which take half of the time. */
const placeRules = ["color-contrast", "target-size"];

/** Violations found by axe, one line per element; `withPlaces` also by `placeRules`. */
export async function axeComplaints(page: Page, { withPlaces = true } = {}): Promise<readonly string[]> {
  // Injected by the debugger, which bypasses the CSP.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const left = withPlaces ? [] : placeRules;
  const { violations } = await page.evaluate(
    (tags, left) => {
      const { axe } = window as unknown as { readonly axe: { run(root: Document, options: RunOptions): Promise<AxeResults> } };
      const rules = Object.fromEntries(left.map((rule) => [rule, { enabled: false }]));
      // There are no frames, and style sheets are same-origin.
      return axe.run(document, { runOnly: [...tags], rules, resultTypes: ["violations"], iframes: false, preload: false });
    },
    axeTags,
    left,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all }) => `${id}: ${help}: ${html.slice(0, markupCharsMax)} ${[...any, ...all][0]?.message ?? ""}`),
  );
}

/** Viewport width of 1280 CSS pixels at 400 % zoom (WCAG 2.2, 1.4.10). */
export const narrow = { width: 320, height: 256 };

/** Elements that overflow at the current width, or horizontal page scrolling. */
export function overflowComplaints(page: Page): Promise<readonly string[]> {
  return page.evaluate((charsMax) => {
    const { clientWidth: width, scrollWidth } = document.documentElement;
    const complaints = scrollWidth > width ? [`the page is ${scrollWidth} wide where there are ${width}`] : [];
    look(document.body, false);
    return complaints;

    function look(element: Element, inScroller: boolean): void {
      const { display, overflowX, clipPath, textOverflow } = getComputedStyle(element);
      // Visually hidden texts and skip links are exempt.
      if (display === "none" || clipPath !== "none" || element.matches("svg, select, .skip:not(:focus)")) return;
      // Code blocks scroll in a box, and input text in its field. A preview of a folded text ends with an ellipsis.
      const scrolls = /auto|scroll/.test(overflowX) || element.matches("input, textarea") || textOverflow === "ellipsis";
      if (display !== "inline" && display !== "contents") {
        const complain = (what: string) => complaints.push(`${what}: ${element.outerHTML.slice(0, charsMax)}`);
        if (!scrolls && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
          complain(`${element.scrollWidth} px in ${element.clientWidth}`);
        const { left, right } = element.getBoundingClientRect();
        if (!inScroller && (right > width + 1 || left < -1)) complain(`from ${left} to ${right} px`);
      }
      for (const child of element.children) look(child, inScroller || scrolls);
    }
  }, markupCharsMax);
}

/** Applies the text spacing of WCAG 2.2, 1.4.12. Constructed style sheets are not inline styles, so the CSP stays active. */
export async function spaceText(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }",
    );
    document.adoptedStyleSheets.push(sheet);
  });
}

/** Text cut off vertically by a box with hidden overflow. */
export function clippedComplaints(page: Page): Promise<readonly string[]> {
  return page.evaluate((charsMax) => {
    const clips = (overflow: string) => overflow === "hidden" || overflow === "clip";
    return [...document.querySelectorAll<HTMLElement>("body *")]
      .filter((element) => {
        const { overflowY, display, clipPath } = getComputedStyle(element);
        if (!clips(overflowY) || display === "inline" || clipPath !== "none" || element.clientHeight <= 1) return false;
        return element.closest("svg") === null && element.scrollHeight > element.clientHeight + 1;
      })
      .map((element) => `${element.scrollHeight} px in ${element.clientHeight}: ${element.outerHTML.slice(0, charsMax)}`);
  }, markupCharsMax);
}

/** Smallest type in CSS pixels: labels, and texts that one reads. */
const typePxMin = { label: 13, text: 14 };

/** Texts below the smallest type. Charts count with their scale. */
export function typeComplaints(page: Page): Promise<readonly string[]> {
  return page.evaluate((pxMin) => {
    const complaints = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || !/\S/.test(node.nodeValue ?? "") || !parent.checkVisibility() || parent.matches("option")) continue;
      const scale = parent instanceof SVGGraphicsElement ? (parent.getScreenCTM()?.a ?? 1) : 1;
      const px = Number.parseFloat(getComputedStyle(parent).fontSize) * scale;
      const isText = parent.matches("p, li, dd, td, td > div") && parent.closest("nav, footer, header") === null;
      // A font size in rem is not always exact in binary.
      if (px < (isText ? pxMin.text : pxMin.label) - 0.01)
        complaints.add(
          `${px.toFixed(1)} px: ${parent.tagName.toLowerCase()}.${parent.getAttribute("class") ?? ""}: ${node.nodeValue?.trim().slice(0, 40)}`,
        );
    }
    return [...complaints];
  }, typePxMin);
}
