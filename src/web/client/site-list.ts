/** Filters, sorts and picks the rows of the list of watched sites in place: `form[data-site-filter]` over `table[data-sites]`. */

/** Runs in the browser: writes filter and order into the address, so that a reload, a copied link and the next action keep them. */
export function rememberInAddress(changed: Readonly<Record<string, string>>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changed)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  for (const name of ["done", "count", "left", "select"]) url.searchParams.delete(name);
  history.replaceState(null, "", url);
  const bulk = document.querySelector("[data-bulk] form");
  if (bulk !== null) bulk.setAttribute("action", url.pathname + url.search);
}

/** Runs in the browser. Without it the form reloads the page with the same result. */
export function filterSiteRows(remember: typeof rememberInAddress): void {
  const form = document.querySelector<HTMLFormElement>("form[data-site-filter]");
  const body = document.querySelector<HTMLTableElement>("table[data-sites]")?.tBodies[0];
  if (form === null || body === undefined) return;
  const rows = [...body.rows];
  const count = form.querySelector<HTMLElement>("[data-site-count]");
  const reset = form.querySelector<HTMLElement>("[data-site-reset]");
  const none = document.querySelector<HTMLElement>("[data-site-none]");
  const fieldValue = (name: string) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value.trim() : "";
  };
  const has = (lines: string | undefined, line: string) => line === "" || (lines ?? "").split("\n").includes(line);

  const show = () => {
    const search = fieldValue("q").toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const { text = "", client, tags, band, state } = row.dataset;
      const matches =
        text.includes(search) &&
        has(client, fieldValue("client")) &&
        has(tags, fieldValue("tag")) &&
        has(band, fieldValue("band")) &&
        has(state, fieldValue("state"));
      row.hidden = !matches;
      if (matches) shown += 1;
      // An action must not reach rows that are not seen.
      for (const box of row.querySelectorAll<HTMLInputElement>("input[type=checkbox]")) box.checked &&= matches;
    }
    if (count !== null) count.textContent = shown === rows.length ? "" : (count.dataset.text ?? "").replace("{shown}", String(shown));
    if (reset !== null) reset.hidden = shown === rows.length;
    if (none !== null) none.hidden = shown > 0;
    body.dispatchEvent(new Event("change"));
  };
  const rememberFilter = () => {
    remember(Object.fromEntries(["q", "client", "tag", "band", "state"].map((name) => [name, fieldValue(name)])));
  };

  const apply = form.querySelector<HTMLElement>("[data-site-apply]");
  if (apply !== null) apply.hidden = true;
  form.addEventListener("input", show);
  form.addEventListener("change", rememberFilter);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
    rememberFilter();
  });
  reset?.querySelector("a")?.addEventListener("click", (event) => {
    event.preventDefault();
    for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("select, input[type=search]")) field.value = "";
    show();
    rememberFilter();
    form.querySelector<HTMLInputElement>("input[type=search]")?.focus();
  });
  // The browser restores the fields of a page that is opened again, but not its rows.
  show();
}

/** Runs in the browser: `a[data-sort]` in the header cells. Without it the links reload the page in the same order. */
export function sortSiteRows(remember: typeof rememberInAddress): void {
  const body = document.querySelector<HTMLTableElement>("table[data-sites]")?.tBodies[0];
  if (body === undefined) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a[data-sort]")];
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

  const sortBy = (column: number, descending: boolean) => {
    const keyed = [...body.rows].map((row) => ({ row, value: row.cells[column]?.dataset.value, id: Number(row.dataset.site) }));
    const isNumeric = keyed.every(({ value }) => value === undefined || /^-?\d+$/.test(value));
    keyed.sort((left, right) => {
      // Rows without a value are last in both directions.
      if (left.value === undefined || right.value === undefined)
        return Number(left.value === undefined) - Number(right.value === undefined) || left.id - right.id;
      const order = isNumeric ? Number(left.value) - Number(right.value) : collator.compare(left.value, right.value);
      return (descending ? -order : order) || left.id - right.id;
    });
    body.append(...keyed.map(({ row }) => row));
  };

  for (const link of links) {
    const header = link.closest("th");
    link.addEventListener("click", (event) => {
      // Modified clicks open the link elsewhere, as usual.
      if (header === null || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const descending = header.getAttribute("aria-sort") === "ascending";
      for (const other of links) other.closest("th")?.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortBy(header.cellIndex, descending);
      remember({ sort: link.dataset.sort ?? "", dir: descending ? "desc" : "" });
    });
  }
}

/** Runs in the browser: the links that pick all rows or none, and the number of picked rows. */
export function pickSiteRows(): void {
  const body = document.querySelector<HTMLTableElement>("table[data-sites]")?.tBodies[0];
  const picked = document.querySelector<HTMLElement>("[data-picked]");
  if (body === undefined || picked === null) return;
  const boxes = [...body.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  const show = () => {
    const count = boxes.filter(({ checked }) => checked).length;
    picked.textContent = count === 0 ? "" : (picked.dataset.text ?? "").replace("{count}", String(count));
  };
  for (const checked of [true, false])
    document.querySelector(checked ? "[data-pick-all]" : "[data-pick-none]")?.addEventListener("click", (event) => {
      event.preventDefault();
      for (const box of boxes) if (box.closest("tr")?.hidden === false) box.checked = checked;
      show();
    });
  body.addEventListener("change", show);
  show();
}

/** Runs in the browser: `input[type=file][data-reads="#id"]` reads the chosen file into a text area. */
export function readTextFiles(decode: (bytes: Uint8Array) => string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>("input[data-reads]")) {
    const area = document.querySelector<HTMLTextAreaElement>(input.dataset.reads ?? "");
    const part = input.closest<HTMLElement>("[data-needs-script]");
    if (area === null || part === null) continue;
    part.hidden = false;
    input.addEventListener("change", async () => {
      // The file may have been removed meanwhile; the text area then stays as it is.
      const bytes = await input.files?.[0]?.arrayBuffer().catch(() => undefined);
      if (bytes === undefined) return;
      area.value = decode(new Uint8Array(bytes));
      area.focus();
    });
  }
}
