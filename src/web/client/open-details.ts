/** Opens what is folded where it would hide something: the part that an address names, and everything on paper. */

/** Runs in the browser. What paper had opened is folded again afterwards. */
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
    // The browser could not scroll to what was not there.
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
