/** Error page: what happened, the next step, and the request id of the log entry. */
import { PageHead } from "./components/page-head.tsx";
import type { PageError } from "./errors.ts";
import { page } from "./page.tsx";
import type { Visit } from "./visit.ts";

export function errorPage(visit: Visit, { status, kind, values, headers }: PageError): Response {
  const { i18n, requestId } = visit;
  const title = i18n.t(`errors.${kind}.title`, values);
  return page(visit, {
    title,
    status,
    headers,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} lead={i18n.t(`errors.${kind}.what`, values)} />
        <p>{i18n.t(`errors.${kind}.next`, values)}</p>
        <p class="muted small">{i18n.t("errors.reference", { status, requestId })}</p>
      </>
    ),
  });
}
