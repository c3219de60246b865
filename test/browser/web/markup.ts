/** Whether the HTML of a page, as it was sent, keeps the rules of HTML. */
import { type ConfigData, HtmlValidate } from "html-validate";

const config = {
  root: true,
  extends: ["html-validate:recommended", "html-validate:a11y"],
  rules: {
    // As the renderer writes them.
    "void-style": ["error", { style: "selfclose" }],
    "doctype-style": ["error", { style: "lowercase" }],
    // HTML lets an id be any text without blanks; ours are codes of findings and keys of settings, so that links to them can be guessed.
    "valid-id": ["error", { relaxed: true }],
  },
} as const satisfies ConfigData;

const validator = new HtmlValidate(config);
// Progress that is told as it happens is of no use late (WCAG 2.2, 2.2.1), and without script there is no other way to tell it.
const refreshingValidator = new HtmlValidate({ ...config, rules: { ...config.rules, "meta-refresh": "off" } });
/** What is shown around the place of a complaint, in characters. */
const before = 40;
const behind = 80;

/** One line for each rule that is broken, with its place. `refreshes`: the page is meant to be loaded anew. */
export async function markupComplaints(html: string, { refreshes = false } = {}): Promise<readonly string[]> {
  const { results } = await (refreshes ? refreshingValidator : validator).validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, offset }) => `${ruleId}: ${message}: ${html.slice(Math.max(0, offset - before), offset + behind)}`),
  );
}
