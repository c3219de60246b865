/** Copy buttons: `<button data-copy="#id" hidden>`, shown only where copying works. */

/** Runs in the browser. After copying, the button shows its `data-copied` text for a moment. */
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
