/** Fills in and submits forms as a user does. */
import type { HTTPResponse, Page } from "puppeteer-core";
import type { OpenedPage } from "./visitors.ts";

export interface FormOptions {
  /** Selector of the form; by default the first in `main`. */
  readonly form?: string;
  /** Submits without client-side validation. */
  readonly unchecked?: true;
}

/** Submits a form of the open page. @throws Error if there is no form or no response. */
export async function submit(
  page: Page,
  fields: Readonly<Record<string, string>> = {},
  { form = "main form[method=post]", unchecked }: FormOptions = {},
): Promise<OpenedPage> {
  for (const [name, value] of Object.entries(fields)) await fill(page, `${form} [name="${name}"]`, value);
  if (unchecked) await page.$eval(form, (element) => element.toggleAttribute("novalidate", true));
  const answer = await leaving(page, () =>
    page.$eval(`${form} :is(button:not([type]), button[type=submit])`, (button) => (button as HTMLButtonElement).click()),
  );
  if (answer === null) throw new Error(`the form at ${page.url()} gave no answer`);
  return { status: answer.status(), html: await answer.text(), headers: answer.headers() };
}

/** What puppeteer says if a page is gone. */
const goneMessage =
  /context was destroyed|cannot find context|frame was detached|detached frame|frame got detached|target closed|session closed/i;

/**
 * Does what loads another page, and waits for that. It can be there before the browser confirms the input to the old one, which is
 * gone then. Without another page, the wait fails.
 */
export async function leaving(page: Page, go: () => Promise<unknown>): Promise<HTTPResponse | null> {
  const gone = (error: unknown) => {
    if (!goneMessage.test(String(error))) throw error;
  };
  const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), go().catch(gone)]);
  return answer;
}

/** Sets the value directly: it may have ten thousand characters. */
async function fill(page: Page, selector: string, value: string): Promise<void> {
  await page.$eval(
    selector,
    (element, text) => {
      const field = element as HTMLInputElement;
      if (field.type === "checkbox") field.checked = text !== "";
      else field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    },
    value,
  );
}
