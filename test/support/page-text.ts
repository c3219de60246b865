/** Reads text and inputs from HTML. */

/** Content of `main`. */
export function mainOf(html: string): string {
  return /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "";
}

/** Value of an input by name; "" if absent. */
export function inputValueOf(html: string, name: string): string {
  return new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? "";
}
