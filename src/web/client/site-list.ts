/** List of watched sites: filter, order and pages without a page that is loaded again, and the choice of sites. */

/** Runs in the browser: replaces the parts of the page, `[data-part]`, by the same parts of another answer, and follows it elsewhere. */
export function takeOverList(fresh: Document, { keepsPicked }: { readonly keepsPicked: boolean }): void {
  const list = document.querySelector("main");
  const form = document.querySelector<HTMLFormElement>("form[data-site-filter]");
  if (list === null || form === null) return;
  const boxes = () => list.querySelectorAll<HTMLInputElement>("tbody input[type=checkbox]");
  const partsOf = (parent: ParentNode) => [...parent.querySelectorAll<HTMLElement>("[data-part]")];
  const focused = document.activeElement?.id ?? "";
  const hadFocus = list.contains(document.activeElement);
  const picked = new Set([...boxes()].flatMap(({ checked, value }) => (keepsPicked && checked ? value : [])));
  const others = partsOf(fresh);
  for (const part of partsOf(list)) {
    const other = others.find(({ dataset }) => dataset.part === part.dataset.part);
    if (other !== undefined) part.replaceWith(other);
  }
  const freshForm = fresh.querySelector<HTMLFormElement>("form[data-site-filter]");
  for (const field of form.elements) {
    const other = freshForm?.elements.namedItem(field.getAttribute("name") ?? "");
    const isField = (one: unknown): one is HTMLInputElement => one instanceof HTMLInputElement || one instanceof HTMLSelectElement;
    if (isField(field) && isField(other) && field !== document.activeElement) field.value = other.value;
  }
  // An action returns to the list as it is shown.
  const [action, otherAction] = [document, fresh].map((one) => one.querySelector("[data-bulk] form"));
  if (otherAction != null) action?.setAttribute("action", otherAction.getAttribute("action") ?? "");
  const [count, otherCount] = [document, fresh].map((one) => one.querySelector("[data-site-count]"));
  if (count != null && otherCount != null) count.textContent = otherCount.textContent;
  for (const box of boxes()) box.checked ||= picked.has(box.value);
  // The link that was followed may be gone.
  if (document.activeElement === document.body && hadFocus)
    (document.getElementById(focused || "list") ?? document.getElementById("list"))?.focus({ preventScroll: true });
  list.dispatchEvent(new Event("change"));
}

/**
 * Runs in the browser: the filter and the links of the list ask the server for the page, and take over its parts. The address follows, so
 * that a reload, a copied link and the back button show the same. Without it they load the page.
 */
export function updateSiteList(takeOver: typeof takeOverList): void {
  const typingMs = 150;
  const form = document.querySelector<HTMLFormElement>("form[data-site-filter]");
  const list = form?.closest("main") ?? null;
  if (form === null || list === null) return;
  let shown = location.search;
  let asked: XMLHttpRequest | undefined;
  let typing: ReturnType<typeof setTimeout> | undefined;

  const show = (url: URL, { replaces }: { readonly replaces: boolean }) => {
    asked?.abort();
    // Unlike `fetch`, it reads a document without HTML from script, which the policy of the page forbids.
    const request = new XMLHttpRequest();
    asked = request;
    request.responseType = "document";
    request.open("GET", url);
    const leave = () => location.assign(url);
    request.addEventListener("error", leave);
    request.addEventListener("load", () => {
      const fresh = request.responseXML;
      // Signed out meanwhile, or the last site is gone.
      if (request.status !== 200 || fresh?.querySelector("form[data-site-filter]") == null) return leave();
      takeOver(fresh, { keepsPicked: !url.searchParams.has("select") });
      const kept = new URL(url);
      kept.searchParams.delete("select");
      if (replaces) history.replaceState(null, "", kept);
      else history.pushState(null, "", kept);
      shown = location.search;
      const part = url.hash === "" ? null : document.querySelector<HTMLElement>(url.hash);
      part?.scrollIntoView();
      part?.focus({ preventScroll: true });
    });
    list.querySelector("[data-part=list]")?.setAttribute("aria-busy", "true");
    request.send();
  };

  const filtered = () => {
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (value !== "") url.searchParams.set(name, String(value).trim());
    return url;
  };
  const apply = form.querySelector<HTMLElement>("[data-site-apply]");
  if (apply !== null) apply.hidden = true;
  form.addEventListener("input", (event) => {
    clearTimeout(typing);
    const isTyped = event.target instanceof HTMLInputElement;
    typing = setTimeout(() => show(filtered(), { replaces: isTyped }), isTyped ? typingMs : 0);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(typing);
    show(filtered(), { replaces: true });
  });
  list.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<SVGAElement | HTMLAnchorElement>("[data-part] a[href]") : null;
    // Modified clicks open the link elsewhere, as usual.
    if (link === null || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const url = new URL(link.getAttribute("href") ?? "", location.href);
    if (url.pathname !== location.pathname) return;
    event.preventDefault();
    show(url, { replaces: url.searchParams.has("select") });
  });
  // Links within the page change the fragment alone.
  addEventListener("popstate", () => location.search !== shown && show(new URL(location.href), { replaces: true }));
}

/**
 * Runs in the browser: the number of chosen sites, the box that chooses the page, and ranges with the shift key. The arrow keys lead from a
 * box or a name to the same in the next row.
 */
export function pickSiteRows(): void {
  const picked = document.querySelector<HTMLElement>("[data-picked]");
  const list = document.querySelector<HTMLElement>("[data-site-list]");
  if (list === null) return;
  const boxes = () => [...list.querySelectorAll<HTMLInputElement>("tbody input[type=checkbox]")];
  const isBox = (target: EventTarget | null): target is HTMLInputElement => boxes().some((box) => box === target);
  let last = "";

  const show = () => {
    const [all, checked] = [boxes(), boxes().filter((box) => box.checked)];
    const beyond = list.querySelector<HTMLElement>("[data-beyond]")?.dataset.beyond;
    const count = beyond ?? (checked.length === 0 ? "" : String(checked.length));
    if (picked !== null) picked.textContent = count && (picked.dataset.text ?? "").replace("{count}", count);
    const page = list.querySelector<HTMLInputElement>("[data-pick-page]");
    if (page === null) return;
    page.hidden = false;
    page.disabled = beyond !== undefined;
    page.checked = checked.length === all.length;
    page.indeterminate = checked.length > 0 && !page.checked;
  };
  const pickRange = (to: HTMLInputElement) => {
    const all = boxes();
    const [from, end] = [all.findIndex(({ value }) => value === last), all.indexOf(to)];
    if (from !== -1) for (const box of all.slice(Math.min(from, end), Math.max(from, end) + 1)) box.checked = to.checked;
  };

  list.addEventListener("click", (event) => {
    if (!isBox(event.target)) return;
    if (event.shiftKey) pickRange(event.target);
    last = event.target.value;
    show();
  });
  document.addEventListener(
    "change",
    ({ target }) => {
      if (target instanceof HTMLInputElement && target.hasAttribute("data-pick-page"))
        for (const box of boxes()) box.checked = target.checked;
      show();
    },
    { capture: true },
  );
  list.addEventListener("keydown", (event) => {
    const row = event.target instanceof Element ? event.target.closest("tbody tr") : null;
    const cell = event.target instanceof Element ? event.target.closest<HTMLTableCellElement>("th, td") : null;
    const next = event.key === "ArrowDown" ? row?.nextElementSibling : event.key === "ArrowUp" ? row?.previousElementSibling : null;
    if (cell === null || !(next instanceof HTMLTableRowElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const target = next.cells[cell.cellIndex]?.querySelector<HTMLElement>("a, input") ?? next.querySelector<HTMLElement>("th a");
    target?.focus();
    if (!event.shiftKey || !isBox(event.target) || !isBox(target)) return;
    target.checked = event.target.checked;
    show();
  });
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
