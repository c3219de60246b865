/** Opens collapsed sections for a URL fragment inside them and for printing. */

/** Runs in the browser. Sections opened for printing are closed again. */
export function openDetails(): void {
  let openedForPrint: readonly HTMLDetailsElement[] = [];

  const openNamed = () => {
    const name = location.hash.slice(1);
    const named = name === "" ? null : document.getElementById(name);
    if (named === null) return;
    let folded = false;
    for (let part: Element | null = named; part !== null; part = part.parentElement) {
      if (!(part instanceof HTMLDetailsElement) || part.open) continue;
      part.open = true;
      folded = true;
    }
    // The browser cannot scroll to hidden content.
    if (folded) named.scrollIntoView();
  };

  openNamed();
  addEventListener("hashchange", openNamed);
  addEventListener("beforeprint", () => {
    openedForPrint = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const details of openedForPrint) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of openedForPrint) details.open = false;
  });
}
