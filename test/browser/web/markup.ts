/** HTML validation of pages as sent. */
import { type ConfigData, HtmlValidate } from "html-validate";

const config = {
  root: true,
  extends: ["html-validate:recommended", "html-validate:a11y"],
  // `details` is not sectioning content (HTML, 3.2.5.2.3), so it may stand in a header cell.
  elements: ["html5", { details: { sectioning: false } }],
  rules: {
    // Style of the renderer.
    "void-style": ["error", { style: "selfclose" }],
    "doctype-style": ["error", { style: "lowercase" }],
    // Ids are finding codes and setting keys, which HTML allows and links rely on.
    "valid-id": ["error", { relaxed: true }],
  },
} as const satisfies ConfigData;

const validator = new HtmlValidate(config);
// Progress must be current, and without script only a reload updates it (WCAG 2.2, 2.2.1).
const refreshingValidator = new HtmlValidate({ ...config, rules: { ...config.rules, "meta-refresh": "off" } });
/** Characters of context in a message. */
const before = 40;
const behind = 80;

/** One line per violation with its position. `refreshes`: the page reloads by design. */
export async function markupComplaints(html: string, { refreshes = false } = {}): Promise<readonly string[]> {
  const { results } = await (refreshes ? refreshingValidator : validator).validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, offset }) => `${ruleId}: ${message}: ${html.slice(Math.max(0, offset - before), offset + behind)}`),
  );
}
