/** Languages of the pages: a new language is a file of `locales/` and a line here. The API keeps its two, `locales` of check.ts. */

export { default as "de-de" } from "../../locales/de-de.json" with { type: "json" };
export { default as "en-gb" } from "../../locales/en-gb.json" with { type: "json" };
