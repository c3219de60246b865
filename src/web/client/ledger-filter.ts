/**
 * Filters the ledger in place: links with `data-filter-state` or `data-filter-area` over `tr[data-state]` in `tbody[data-area]` of
 * `[data-ledger]`.
 */

/** Runs in the browser. Without it the links reload the page with the same result. */
export function ledgerFilter(): void {
  const ledger = document.querySelector("[data-ledger]");
  if (ledger === null) return;
  const empty = document.querySelector<HTMLElement>("[data-ledger-empty]");
  const links = document.querySelectorAll<HTMLAnchorElement>("a[data-filter-state], a[data-filter-area]");

  const show = (query: URLSearchParams) => {
    const [state, area] = [query.get("state") ?? "", query.get("area") ?? ""];
    let rowsShown = 0;
    for (const group of ledger.querySelectorAll("tbody")) {
      let shown = 0;
      for (const row of group.querySelectorAll<HTMLElement>("tr[data-state]")) {
        row.hidden = (state !== "" && row.dataset.state !== state) || (area !== "" && group.dataset.area !== area);
        if (!row.hidden) shown += 1;
      }
      group.hidden = shown === 0;
      rowsShown += shown;
    }
    if (empty !== null) empty.hidden = rowsShown > 0;
    for (const link of links) {
      const { filterState, filterArea } = link.dataset;
      const chosen = filterState === undefined ? filterArea === area : filterState === state;
      if (chosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  const filterWith = (link: HTMLAnchorElement): URL => {
    const url = new URL(location.href);
    const [name, value] = link.dataset.filterState === undefined ? ["area", link.dataset.filterArea] : ["state", link.dataset.filterState];
    if (value === undefined || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    url.hash = "ledger";
    return url;
  };

  for (const link of links) {
    link.addEventListener("click", (event) => {
      // Modified clicks open the link elsewhere, as usual.
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const url = filterWith(link);
      show(url.searchParams);
      history.replaceState(null, "", url);
      if (link.closest("section")?.contains(ledger) === true) return;
      // Moves scroll position and focus to the link's target.
      const heading = document.getElementById("ledger");
      if (heading === null) return;
      heading.tabIndex = -1;
      heading.focus();
    });
  }

  // A link to a hidden row resets the filter.
  const showNamed = () => {
    const named = document.getElementById(location.hash.slice(1));
    if (!(named instanceof HTMLTableRowElement) || (!named.hidden && named.closest("tbody")?.hidden !== true)) return;
    show(new URLSearchParams());
    named.scrollIntoView();
  };
  addEventListener("hashchange", showNamed);
  showNamed();
}
