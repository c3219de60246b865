/** What is asked of a scan that only a finished one has. */
import type { ScanRecord } from "../../store/scans.ts";
import { page } from "../answer.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { PageHead } from "../components/page-head.tsx";
import type { Visit } from "../visit.ts";

const conflict = 409;

export function notFinishedPage(visit: Visit, { token }: ScanRecord): Response {
  const { words } = visit;
  const title = words.say("report.notFinished.title");
  return page(visit, {
    title,
    status: conflict,
    noIndex: true,
    children: (
      <>
        <PageHead title={title} />
        <EmptyState title={words.say("report.notFinished.what")}>
          <div class="actions">
            <a class="button" href={`/scans/${token}`}>
              {words.say("report.notFinished.link")}
            </a>
          </div>
        </EmptyState>
      </>
    ),
  });
}
