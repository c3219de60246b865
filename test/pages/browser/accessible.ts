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
    const root = document.documentElement;
    const ancestors = (element: Element | null): readonly Element[] =>
      element === null ? [] : [element, ...ancestors(element.parentElement)];
    const scrolls = (element: Element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
    /** For screen readers only: words in a box of one pixel. */
    const isUnseen = (element: Element) => getComputedStyle(element).clipPath !== "none" || element.matches(".skip:not(:focus)");
    const boxes = [...document.querySelectorAll<HTMLElement>("body *")].filter((element) => {
      const { display } = getComputedStyle(element);
      if (display === "none" || display === "inline" || display === "contents") return false;
      return element.closest("svg, select") === null && !ancestors(element).some(isUnseen);
    });
    const wider = boxes
      // Lines to paste stand in a box that scrolls, and what is typed moves within its field.
      .filter((element) => !scrolls(element) && !element.matches("input, textarea"))
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
      .map((element) => `${element.scrollWidth} px in ${element.clientWidth}: ${element.outerHTML.slice(0, charsMax)}`);
    const beyond = boxes
      .filter((element) => !ancestors(element.parentElement).some(scrolls))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.right > root.clientWidth + 1 || box.left < -1)
      .map(({ element, box }) => `from ${box.left} to ${box.right} px: ${element.outerHTML.slice(0, charsMax)}`);
    const page = root.scrollWidth > root.clientWidth ? [`the page is ${root.scrollWidth} wide where there are ${root.clientWidth}`] : [];
    return [...page, ...wider, ...beyond];
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
