/** The report of a finished scan. */
import type { ScanRecord } from "../../store/scans.ts";
import { page } from "../answer.tsx";
import type { Visit } from "../visit.ts";

export function reportPage(visit: Visit, { url }: ScanRecord): Response {
  return page(visit, {
    title: url,
    noIndex: !visit.settings.reports.indexed,
    children: <h1>{url}</h1>,
  });
}
