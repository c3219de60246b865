/** Input by mouse, or by keyboard with a focus check at every step. */
import type { Page } from "puppeteer-core";
import { leaving } from "./forms.ts";

export interface InputDevice {
  /** Types text into a field. */
  type(selector: string, words: string): Promise<void>;
  /** Activates a control that loads another page, and waits for it. */
  leave(selector: string): Promise<unknown>;
  /** Activates a control that stays on the page. */
  press(selector: string): Promise<void>;
}

export function mouseOn(page: Page): InputDevice {
  const press = async (selector: string) => {
    const element = await page.waitForSelector(selector, { visible: true });
    await element?.click();
  };
  return {
    press,
    leave: (selector) => leaving(page, () => press(selector)),
    type: async (selector, words) => {
      await press(selector);
      await page.keyboard.type(words);
    },
  };
}

/** Tab stops after which an element counts as unreachable. */
const stepsMax = 400;

/** @throws Error if an element is unreachable or the focus is lost. */
export function keyboardOn(page: Page): InputDevice {
  async function reach(selector: string): Promise<void> {
    await page.waitForSelector(selector);
    for (let step = 0; step < stepsMax; step++) {
      const focus = await tab(page);
      if (focus.complaint !== null) throw new Error(`on the journey to ${selector}: ${focus.complaint}`);
      if (await page.evaluate((wanted) => document.activeElement === document.querySelector(wanted), selector)) return;
    }
    throw new Error(`${selector} cannot be reached by keyboard on ${page.url()}`);
  }
  const press = async (selector: string) => {
    await reach(selector);
    await page.keyboard.press("Enter");
  };
  return {
    press,
    leave: (selector) => leaving(page, () => press(selector)),
    type: async (selector, words) => {
      const isThere = (wanted: string) => document.activeElement === document.querySelector(wanted);
      if (!(await page.evaluate(isThere, selector))) await reach(selector);
      await page.keyboard.type(words);
    },
  };
}

export interface Focus {
  /** Index of the focused element; -1 outside the page. */
  readonly at: number;
  /** Defect of the focus indicator; null if visible. */
  readonly complaint: string | null;
}

/** Presses Tab once. The focus must be visible and unobscured (WCAG 2.2, 2.4.7 and 2.4.11). */
export async function tab(page: Page, { backwards = false } = {}): Promise<Focus> {
  if (backwards) await page.keyboard.down("Shift");
  await page.keyboard.press("Tab");
  if (backwards) await page.keyboard.up("Shift");
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body) return { at: -1, complaint: null };
    const at = [...document.querySelectorAll("*")].indexOf(focused);
    const name = focused.outerHTML.slice(0, 120);
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 2) return { at, complaint: `the focus does not show on ${name}` };
    const box = [...focused.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
    if (box === undefined) return { at, complaint: `what has the focus cannot be seen: ${name}` };
    const points = [0.1, 0.5, 0.9].flatMap((x) =>
      [0.2, 0.5, 0.8].map((y) => [box.left + box.width * x, box.top + box.height * y] as const),
    );
    const seen = points.some(([x, y]) => {
      const top = document.elementFromPoint(x, y);
      return top !== null && (focused.contains(top) || top.contains(focused));
    });
    return { at, complaint: seen ? null : `what has the focus is out of sight or covered: ${name}` };
  });
}
