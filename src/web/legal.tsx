/** `/imprint` and `/privacy`: plain texts of the operator. */
import { Fragment } from "preact";
import { notFound } from "./errors.ts";
import { page } from "./page.tsx";
import type { Visit } from "./visit.ts";

export function legalPage(visit: Visit, kind: "imprint" | "privacy"): Response {
  const { i18n, settings } = visit;
  const text = settings.legal[kind];
  if (text === null) throw notFound();
  const title = i18n.t(`legal.${kind}`);
  return page(visit, {
    title,
    children: (
      <>
        <h1>{title}</h1>
        {paragraphsOf(text).map((lines, at) => (
          <p key={String(at)}>
            {lines.map((line, number) => (
              <Fragment key={String(number)}>
                {number > 0 && <br />}
                {line}
              </Fragment>
            ))}
          </p>
        ))}
      </>
    ),
  });
}

/** Blank lines separate paragraphs; single line breaks are kept, as postal addresses need them. */
function paragraphsOf(text: string): readonly (readonly string[])[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/(?:\r?\n[ \t]*){2,}/)
    .map((paragraph) => paragraph.trim().split(/\r?\n/))
    .filter(([first]) => first !== "");
}
