/** Fills in forms as a person does: words into fields by their names, a press on the button, and a look at the page that comes. */
import type { Page } from "puppeteer-core";
import type { OpenedPage } from "./visitors.ts";

export interface FormWish {
  /** Selector of the form; the first one in `main` when left out. */
  readonly form?: string;
  /** Lets the browser send what its own rules for fields would hold back, as browsers without them do. */
  readonly unchecked?: true;
}

/** Sends a form of the page that is open. @throws Error when there is none, or no page comes. */
export async function submit(
  page: Page,
  fields: Readonly<Record<string, string>> = {},
  { form = "main form[method=post]", unchecked }: FormWish = {},
): Promise<OpenedPage> {
  for (const [name, value] of Object.entries(fields)) await fill(page, `${form} [name="${name}"]`, value);
  if (unchecked) await page.$eval(form, (element) => element.toggleAttribute("novalidate", true));
  const [answer] = await Promise.all([
    page.waitForNavigation({ waitUntil: "load" }),
    page.$eval(`${form} :is(button:not([type]), button[type=submit])`, (button) => (button as HTMLButtonElement).click()),
  ]);
  if (answer === null) throw new Error(`the form at ${page.url()} gave no answer`);
  return { status: answer.status(), html: await answer.text(), headers: answer.headers() };
}

/** By its value rather than key by key: what is typed may be ten thousand characters long. */
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
