/** Buttons that show what is typed into a password field: `<button data-reveal="#id" aria-pressed="false" hidden>`. */

/** Runs in the browser. Hidden again before the form is sent, so that browsers offer to keep it as a password. */
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
