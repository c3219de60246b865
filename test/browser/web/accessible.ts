/** Whether people can use a page as it stands in the browser: by axe, by what moves when it gets narrow, and by where its words end. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "puppeteer-core";

/** A third of what its module hands out for this purpose. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** Every rule for WCAG 2.2 AA, and what is merely good manners. */
const axeTags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** What is shown of an element in a complaint, in characters. */
const markupCharsMax = 160;

/** What axe holds against the page, one line for each element. */
export async function axeComplaints(page: Page): Promise<readonly string[]> {
  // By the debugger, which no policy of a page stops.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate((tags) => {
    const { axe } = window as unknown as { readonly axe: { run(root: Document, options: RunOptions): Promise<AxeResults> } };
    // There are no frames, and style sheets are where the page can read them.
    return axe.run(document, { runOnly: [...tags], resultTypes: ["violations"], iframes: false, preload: false });
  }, axeTags);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all }) => `${id}: ${help}: ${html.slice(0, markupCharsMax)} ${[...any, ...all][0]?.message ?? ""}`),
  );
}

/** 1280 CSS pixels at 400 % (WCAG 2.2, 1.4.10): what is left of them. */
export const narrow = { width: 320, height: 256 };

/** What does not fit at the width the page has now: words beyond their box, or a page that has to be pushed sideways. */
export function overflowComplaints(page: Page): Promise<readonly string[]> {
  return page.evaluate((charsMax) => {
    const { clientWidth: width, scrollWidth } = document.documentElement;
    const complaints = scrollWidth > width ? [`the page is ${scrollWidth} wide where there are ${width}`] : [];
    look(document.body, false);
    return complaints;

    function look(element: Element, inScroller: boolean): void {
      const { display, overflowX, clipPath } = getComputedStyle(element);
      // What is clipped to a point, or waits above the page for the keyboard, is for screen readers or nobody.
      if (display === "none" || clipPath !== "none" || element.matches("svg, select, .skip:not(:focus)")) return;
      // Lines to paste stand in a box that scrolls, and what is typed moves within its field.
      const scrolls = /auto|scroll/.test(overflowX) || element.matches("input, textarea");
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

/** Sets what readers may set for themselves (WCAG 2.2, 1.4.12). Constructed style sheets are no inline styles, so the policy stays in force. */
export async function spaceText(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }",
    );
    document.adoptedStyleSheets.push(sheet);
  });
}

/** Words that are cut off, above or below: text in a box that hides what it cannot hold. */
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
