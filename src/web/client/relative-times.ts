/** Relative times such as "3 days ago", which no cached page may contain. */

/** `<span data-ago="ISO 8601">`, in the language of the page. Runs in the browser; without it only the absolute time is shown. */
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
