/** Filters the ledger in place: links with `data-filter-state` over `li[data-state]` in `details[data-area]` of `[data-ledger]`. */

/** Runs in the browser. Without it the links reload the page with the same result. */
export function ledgerFilter(): void {
  const ledger = document.querySelector("[data-ledger]");
  if (ledger === null) return;
  const empty = document.querySelector<HTMLElement>("[data-ledger-empty]");
  const links = document.querySelectorAll<HTMLAnchorElement>("a[data-filter-state]");

  const show = (state: string) => {
    let rowsShown = 0;
    for (const area of ledger.querySelectorAll<HTMLDetailsElement>("details[data-area]")) {
      let shown = 0;
      for (const row of area.querySelectorAll<HTMLElement>("li[data-state]")) {
        row.hidden = state !== "" && row.dataset.state !== state;
        if (!row.hidden) shown += 1;
      }
      area.hidden = shown === 0;
      area.open = state !== "" && shown > 0;
      rowsShown += shown;
    }
    if (empty !== null) empty.hidden = rowsShown > 0;
    for (const link of links) {
      if (link.dataset.filterState === state) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  for (const link of links) {
    link.addEventListener("click", (event) => {
      // Modified clicks open the link elsewhere, as usual.
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const state = link.dataset.filterState ?? "";
      show(state);
      const url = new URL(location.href);
      url.searchParams.delete("area");
      url.searchParams.delete("state");
      if (state !== "") url.searchParams.set("state", state);
      url.hash = "ledger";
      history.replaceState(null, "", url);
    });
  }

  // A link to a hidden row resets the filter.
  const showNamed = () => {
    const named = document.getElementById(location.hash.slice(1));
    const area = named?.closest<HTMLDetailsElement>("details[data-area]") ?? null;
    if (named === null || area === null || !ledger.contains(area) || (!named.hidden && !area.hidden)) return;
    show("");
    area.open = true;
    named.scrollIntoView();
  };
  addEventListener("hashchange", showNamed);
  showNamed();
}
