/** The page that says no: what happened, what to do, and under which id the log tells of it. */
import { page } from "./answer.tsx";
import { PageHead } from "./components/page-head.tsx";
import type { PageError } from "./errors.ts";
import type { Visit } from "./visit.ts";

export function errorPage(visit: Visit, { status, kind, values, headers }: PageError): Response {
  const { words, requestId } = visit;
  const title = words.say(`errors.${kind}.title`, values);
  return page(visit, {
    title,
    status,
    headers,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} lead={words.say(`errors.${kind}.what`, values)} />
        <p>{words.say(`errors.${kind}.next`, values)}</p>
        <p class="muted small">{words.say("errors.reference", { status, requestId })}</p>
      </>
    ),
  });
}
