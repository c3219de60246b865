/** Small features of any page, each a function that runs in the browser: buttons, which are hidden without script, collapsed sections, and times. */

/** `<button data-copy="#id" hidden>`: after copying, the button shows its `data-copied` text for a moment. */
export function copyButtons(): void {
  const confirmationMs = 2_000;
  // Only secure contexts have a clipboard.
  if (navigator.clipboard === undefined) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.querySelector(button.dataset.copy ?? "");
      const text = source instanceof HTMLInputElement ? source.value : (source?.textContent ?? "");
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        return;
      }
      button.textContent = button.dataset.copied ?? label;
      setTimeout(() => {
        button.textContent = label;
      }, confirmationMs);
    });
  }
}

/** `<button data-print hidden>`. */
export function printButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  }
}

/** `<button data-reveal="#id" aria-pressed="false" hidden>`: hides the password before submission, so that browsers offer to save it. */
export function revealPasswords(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-reveal]")) {
    const input = document.querySelector<HTMLInputElement>(button.dataset.reveal ?? "");
    if (input === null) continue;
    const show = (shown: boolean) => {
      input.type = shown ? "text" : "password";
      button.setAttribute("aria-pressed", String(shown));
    };
    button.hidden = false;
    button.addEventListener("click", () => show(input.type === "password"));
    input.form?.addEventListener("submit", () => show(false));
  }
}

/** Closes `details.menu` by Escape, which returns the focus to its button, and by a click elsewhere. */
export function closeMenus(): void {
  const openMenus = () => document.querySelectorAll<HTMLDetailsElement>("details.menu[open]");
  addEventListener("click", ({ target }) => {
    for (const menu of openMenus()) if (target instanceof Node && !menu.contains(target)) menu.open = false;
  });
  window.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of openMenus()) {
      const hadFocus = menu.contains(document.activeElement);
      menu.open = false;
      if (hadFocus) menu.querySelector("summary")?.focus();
    }
  });
}

/** Opens collapsed sections for a URL fragment inside them and for printing. Sections opened for printing are closed again. */
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
    openedForPrint = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open], .menu)")];
    for (const details of openedForPrint) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of openedForPrint) details.open = false;
  });
}

/** `<span data-ago="ISO 8601">`: a relative time such as "3 days ago", in the language of the page, which no cached page may contain. */
export function relativeTimes(): void {
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
  const seconds: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
    ["year", 365 * 86_400],
    ["month", 30 * 86_400],
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
    ["second", 1],
  ];
  for (const part of document.querySelectorAll<HTMLElement>("[data-ago]")) {
    const distance = (Date.parse(part.dataset.ago ?? "") - Date.now()) / 1_000;
    const [unit, unitSeconds] = seconds.find(([, long]) => Math.abs(distance) >= long) ?? ["second", 1];
    part.textContent = Number.isNaN(distance) ? "" : format.format(Math.round(distance / unitSeconds), unit);
  }
}

/** `<form data-ticks>`: each change shows the lines of the ticked findings, and their score, in place of those before. The button is for readers without script. */
export function tickedLines(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-ticks]");
  const section = form?.closest("details");
  if (form === null || section === null || section === undefined) return;
  const button = form.querySelector("button");
  if (button !== null) button.hidden = true;
  let asked: XMLHttpRequest | undefined;
  form.addEventListener("change", () => {
    // A later tick has its own answer.
    asked?.abort();
    // Unlike `fetch`, it reads a document without HTML from script, which the policy of the page forbids.
    const request = new XMLHttpRequest();
    asked = request;
    request.responseType = "document";
    const query = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    request.open("GET", `${location.pathname}?${query}`);
    request.addEventListener("error", () => form.submit());
    request.addEventListener("load", () => {
      const next = request.status === 200 ? request.responseXML?.getElementById(section.id) : null;
      if (next == null) return form.submit();
      const [score, shown] = [next.querySelector("[data-lines-score]"), section.querySelector("[data-lines-score]")];
      if (score !== null && shown === null) form.after(score);
      else shown?.replaceWith(...(score === null ? [] : [score]));
      const code = section.querySelector("figure code");
      if (code !== null) code.textContent = next.querySelector("figure code")?.textContent ?? "";
    });
    request.send();
  });
}
