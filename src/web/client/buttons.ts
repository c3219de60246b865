/** Buttons that need script, hidden without it: copy, print and reveal password. Each function runs in the browser. */

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
