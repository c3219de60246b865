/** Filters of a report in place of a page that is loaded again: findings and ledger. */

/** Runs in the browser: `form[data-finding-filter]` over `details.finding-row`. Without it the form reloads the page with the same result. */
export function findingFilter(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-finding-filter]");
  const section = form?.closest("section") ?? null;
  if (form === null || section === null) return;
  const rows = [...section.querySelectorAll<HTMLDetailsElement>("details.finding-row")];
  const groups = section.querySelectorAll<HTMLElement>("[data-finding-group]");
  const count = form.querySelector<HTMLElement>("[data-finding-count]");
  const fieldValue = (name: string) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value.trim() : "";
  };

  // Title, facts, risk, advice, lines and code, but no labels.
  const searched = "summary > :is(h3, h4), .seen, .finding-body > div p, pre, footer code";
  const textOf = (row: Element) =>
    Array.from(row.querySelectorAll(searched), (part) => part.textContent)
      .join("\n")
      .toLowerCase();

  const show = () => {
    const [severity, area, effort] = [fieldValue("severity"), fieldValue("in"), fieldValue("effort")];
    const search = fieldValue("q").toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const matches =
        (severity === "" || row.dataset.severity === severity) &&
        (area === "" || row.dataset.area === area) &&
        (effort === "" || row.dataset.effort === effort) &&
        (search === "" || textOf(row).includes(search));
      row.hidden = !matches;
      if (matches) shown += 1;
    }
    for (const group of groups) group.hidden = group.querySelector("details.finding-row:not([hidden])") === null;
    if (count !== null) count.textContent = shown === rows.length ? "" : (count.dataset.text ?? "").replace("{shown}", String(shown));
  };

  /** Writes the filter into the address, so that a reload and a copied link keep it. */
  const remember = () => {
    const url = new URL(location.href);
    for (const name of ["severity", "in", "effort", "q"]) {
      const value = fieldValue(name);
      if (value === "") url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    history.replaceState(null, "", url);
  };

  const apply = form.querySelector<HTMLElement>("[data-finding-apply]");
  if (apply !== null) apply.hidden = true;
  form.addEventListener("input", show);
  form.addEventListener("change", remember);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
    remember();
  });

  // A link to a row outside the filter resets the filter.
  const showNamed = () => {
    const row = document.getElementById(location.hash.slice(1))?.closest<HTMLDetailsElement>("details.finding-row") ?? null;
    if (row === null || !row.hidden) return;
    for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("select, input[type=search]")) field.value = "";
    show();
    remember();
    row.open = true;
    row.scrollIntoView();
  };
  addEventListener("hashchange", showNamed);
  showNamed();
}

/** Runs in the browser: `a[data-expand]` opens or closes all rows of its section. Without it the link reloads the page with open rows. */
export function expandRows(): void {
  const expand = document.querySelector<HTMLAnchorElement>("a[data-expand]");
  const rows = [...(expand?.closest("section")?.querySelectorAll<HTMLDetailsElement>("details.finding-row") ?? [])];
  if (expand === null) return;
  const expandText = expand.textContent ?? "";
  expand.addEventListener("click", (event) => {
    event.preventDefault();
    const open = rows.some((row) => !row.open);
    for (const row of rows) row.open = open;
    expand.textContent = open ? (expand.dataset.collapseText ?? expandText) : expandText;
  });
}

/**
 * Runs in the browser: links with `data-filter-state` over `li[data-state]` in `details[data-area]` of `[data-ledger]`. Without it the links
 * reload the page with the same result.
 */
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
