/** What a page says, out of its HTML. */

/** Everything in `main`, without the hidden words of forms, which differ from page to page. */
export function mainOf(html: string): string {
  const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "";
  return main.replaceAll(/<input type="hidden" name="form"[^>]*>/g, "");
}

/** The value of an input with that name; "" when there is none. */
export function inputValueOf(html: string, name: string): string {
  return new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? "";
}
