/** Layout checks in the browser: texts and controls that overlap, and texts that leave their box. */
import type { Page } from "puppeteer-core";

/** CSS pixels: phone, large phone, end of the phone layouts, 1536 px at 200 % zoom, small laptop, laptop and desktop. */
export const layoutWidths: readonly number[] = [320, 390, 641, 768, 900, 1_280, 1_920];

/** Defects in a message; a broken page has hundreds. */
const complaintsMax = 5;

/**
 * Overlaps at the current width, one line each: two texts, a text and a control or image, or a text outside its block.
 * Hidden texts and parts that scroll in their own box are exempt.
 */
export function overlapComplaints(page: Page): Promise<readonly string[]> {
  return page.evaluate((complaintsMax) => {
    interface Box {
      readonly node: Node;
      readonly left: number;
      readonly right: number;
      readonly top: number;
      readonly bottom: number;
    }
    /** Rounding of text positions. */
    const slackPx = 1.5;
    /** Share of the height of a text that carries no ink; lines with a small line height intersect there. */
    const inklessShare = 0.22;
    const charsMax = 40;
    const complaints = new Set<string>();
    const shownElements = new Map<Element, boolean>();
    const styles = new Map<Element, CSSStyleDeclaration>();

    const boxes = [...textBoxes(), ...controlBoxes()].sort((one, other) => one.top - other.top);
    let open: Box[] = [];
    for (const box of boxes) {
      open = open.filter(({ bottom }) => bottom > box.top + slackPx);
      for (const other of open) {
        if (isDisjoint(box, other) || isIntended(box.node, other.node) || isIntended(other.node, box.node)) continue;
        complaints.add(`${nameOf(box.node)} overlaps ${nameOf(other.node)}`);
      }
      open.push(box);
    }
    const found = [...complaints];
    return found.length <= complaintsMax ? found : [...found.slice(0, complaintsMax), `${found.length - complaintsMax} more overlaps`];

    function styleOf(element: Element): CSSStyleDeclaration {
      const known = styles.get(element);
      if (known !== undefined) return known;
      const style = getComputedStyle(element);
      styles.set(element, style);
      return style;
    }

    /** True for what a reader sees; visually hidden texts are clipped. */
    function isShown(element: Element): boolean {
      const known = shownElements.get(element);
      if (known !== undefined) return known;
      const shown =
        element.checkVisibility({ visibilityProperty: true }) &&
        styleOf(element).clipPath === "none" &&
        !element.matches(".skip, script, style, option, noscript") &&
        (element.parentElement === null || isShown(element.parentElement));
      shownElements.set(element, shown);
      return shown;
    }

    function* textBoxes(): Iterable<Box> {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (parent === null || !/\S/.test(node.nodeValue ?? "") || !isShown(parent)) continue;
        const block = blockOf(parent);
        // Chart labels are placed by the drawing; they may still overlap each other.
        const bounds = parent.closest("svg") === null ? block.getBoundingClientRect() : null;
        const isElided = styleOf(block).textOverflow === "ellipsis";
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) {
          if (rect.width < 1 || rect.height < 1) continue;
          const ink = rect.height * inklessShare;
          const right = isElided ? Math.min(rect.right, block.getBoundingClientRect().right) : rect.right;
          if (right <= rect.left) continue;
          if (bounds !== null && !isElided && isOutside(rect, ink, bounds)) complaints.add(`${nameOf(node)} leaves its box`);
          yield { node, left: rect.left, right, top: rect.top + ink, bottom: rect.bottom - ink };
        }
      }
    }

    function isOutside(rect: DOMRect, ink: number, bounds: DOMRect): boolean {
      if (rect.left < bounds.left - slackPx || rect.right > bounds.right + slackPx) return true;
      return rect.top + ink < bounds.top - slackPx || rect.bottom - ink > bounds.bottom + slackPx;
    }

    /** Nearest block around a text. */
    function blockOf(element: Element): Element {
      let block = element;
      while (/^(inline|contents)$/.test(styleOf(block).display) && block.parentElement !== null) block = block.parentElement;
      return block;
    }

    function* controlBoxes(): Iterable<Box> {
      for (const node of document.querySelectorAll("button, .button, input, select, textarea, img, svg, progress")) {
        if (!isShown(node)) continue;
        const { left, right, top, bottom } = node.getBoundingClientRect();
        if (right - left > 1 && bottom - top > 1) yield { node, left, right, top, bottom };
      }
    }

    /** A part of a control, or drawings on top of each other as in a chart. */
    function isIntended(outer: Node, inner: Node): boolean {
      if (outer.contains(inner)) return true;
      const parent = inner instanceof Element ? inner : inner.parentElement;
      return outer instanceof SVGElement && parent instanceof SVGElement;
    }

    function isDisjoint(one: Box, other: Box): boolean {
      const overlapX = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const overlapY = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      return overlapX <= slackPx || overlapY <= slackPx;
    }

    function nameOf(node: Node): string {
      const text = (node.nodeValue ?? node.textContent ?? "").trim().replaceAll(/\s+/g, " ").slice(0, charsMax);
      const element = node instanceof Element ? node : node.parentElement;
      const { x = 0, y = 0 } = element?.getBoundingClientRect() ?? {};
      return `"${text}" in ${element?.tagName.toLowerCase()}.${element?.getAttribute("class") ?? ""} at ${Math.round(x)}, ${Math.round(y)}`;
    }
  }, complaintsMax);
}
