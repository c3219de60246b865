/** Whether people can use a page as it stands in the browser: by axe, by what moves when it gets narrow, and by where its words end. */
import axe, { type AxeResults } from "axe-core";
import type { Page } from "puppeteer-core";

/** Every rule for WCAG 2.2 AA, and what is merely good manners. */
const axeTags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** What is shown of an element in a complaint, in characters. */
const markupCharsMax = 160;

/** What axe holds against the page, one line for each element. */
export async function axeComplaints(page: Page): Promise<readonly string[]> {
  // By the debugger, which no policy of a page stops.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (tags): Promise<AxeResults> =>
      (window as unknown as { readonly axe: typeof axe }).axe.run(document, {
        runOnly: tags,
        resultTypes: ["violations"],
        // There are no frames, and style sheets are where the page can read them.
        iframes: false,
      }),
    axeTags,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all }) => `${id}: ${help}: ${html.slice(0, markupCharsMax)} ${[...any, ...all][0]?.message ?? ""}`),
  );
}

/** 1280 CSS pixels at 400 % (WCAG 2.2, 1.4.10): what is left of them. */
export const narrow = { width: 320, height: 256 };

/** What does not fit at the width the page has now: words beyond their box, or a page that has to be pushed sideways. */
export function overflowComplaints(page: Page): Promise<readonly string[]> {
  return page.evaluate((charsMax) => {
    const complaints: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) complaints.push(`the page is ${root.scrollWidth} wide where there are ${root.clientWidth}`);
    for (const element of document.querySelectorAll<HTMLElement>("body *")) {
      if (element.closest("svg, select") !== null) continue;
      const { display, overflowX, position, clipPath } = getComputedStyle(element);
      if (display === "none" || display === "inline" || display === "contents") continue;
      // Words for screen readers stand in a box of one pixel, and long lines to paste in a box of their own that scrolls.
      if (clipPath !== "none" || (position === "absolute" && element.clientWidth <= 1)) continue;
      if (overflowX === "auto" || overflowX === "scroll") continue;
      const isField = element.matches("input, textarea");
      if (!isField && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
        complaints.push(`${element.scrollWidth} px in ${element.clientWidth}: ${element.outerHTML.slice(0, charsMax)}`);
      const { left, right } = element.getBoundingClientRect();
      if ((right > root.clientWidth + 1 || left < -1) && element.closest(".skip") === null && !inScroller(element))
        complaints.push(`ends at ${Math.round(left)}..${Math.round(right)} px: ${element.outerHTML.slice(0, charsMax)}`);
    }
    return complaints;

    function inScroller(element: Element): boolean {
      for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
        const { overflowX } = getComputedStyle(parent);
        if (overflowX === "auto" || overflowX === "scroll") return true;
      }
      return false;
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
