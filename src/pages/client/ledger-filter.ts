/** Filters the ledger in place: links `<a data-filter="state">` (empty for all) over rows `tr[data-state]` in `[data-ledger]`. */

/** Runs in the browser. Without it the links load the page anew, with the same outcome. */
export function ledgerFilter(): void {
  const ledger = document.querySelector("[data-ledger]");
  if (ledger === null) return;
  const links = document.querySelectorAll<HTMLAnchorElement>("a[data-filter]");

  const show = (state: string) => {
    for (const row of ledger.querySelectorAll<HTMLElement>("tr[data-state]")) row.hidden = state !== "" && row.dataset.state !== state;
    for (const group of ledger.querySelectorAll<HTMLElement>("tbody"))
      group.hidden = group.querySelector("tr[data-state]:not([hidden])") === null;
    for (const link of links) {
      if (link.dataset.filter === state) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  for (const link of links) {
    link.addEventListener("click", (event) => {
      // With a key held down it opens elsewhere, as any link does.
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      show(link.dataset.filter ?? "");
      history.replaceState(null, "", link.href);
      if (link.closest("section")?.contains(ledger) === true) return;
      // As far as the link leads: eyes and keyboard both.
      const heading = document.getElementById("ledger");
      if (heading === null) return;
      heading.tabIndex = -1;
      heading.focus();
    });
  }

  // A link to a row that is hidden shows all of them again.
  const showNamed = () => {
    const named = document.getElementById(location.hash.slice(1));
    if (named === null || !(named instanceof HTMLTableRowElement) || !named.hidden) return;
    show("");
    named.scrollIntoView();
  };
  addEventListener("hashchange", showNamed);
  showNamed();
}
