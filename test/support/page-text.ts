/** Reads text and inputs from HTML. */

/** Content of `main` without CSRF tokens, which differ per page. */
export function mainOf(html: string): string {
  const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "";
  return main.replaceAll(/<input type="hidden" name="form"[^>]*>/g, "");
}

/** Value of an input by name; "" if absent. */
export function inputValueOf(html: string, name: string): string {
  return new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? "";
}
