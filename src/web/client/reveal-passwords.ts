/** Buttons that reveal a password field: `<button data-reveal="#id" aria-pressed="false" hidden>`. */

/** Runs in the browser. Hides the password before submission, so that browsers offer to save it. */
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
