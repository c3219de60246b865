/** Print buttons: `<button data-print hidden>`. */

/** Runs in the browser. */
export function printButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  }
}
