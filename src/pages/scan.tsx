/** `/scans/{token}`: one address for the whole life of a scan. */
import type { ScanRecord } from "../store/scans.ts";
import { page } from "./answer.tsx";
import { scanNotFound } from "./errors.ts";
import { reportPage } from "./report/report-page.tsx";
import { pageGroup, type Visit } from "./visit.ts";

/** Between two looks of a browser without script. */
const refreshSeconds = 3;

export function scanRoutes() {
  return pageGroup("scan").get("/scans/:token", ({ visit, params }) => scanPage(visit, scanOf(visit, params.token)));
}

/** A token of broken percent-encoding arrives as null. @throws PageError 404 for every token that names no scan, whatever its shape. */
function scanOf({ settings: { store } }: Visit, token: string | null): ScanRecord {
  const scan = store.scanByToken(token ?? "");
  if (scan === undefined) throw scanNotFound();
  return scan;
}

function scanPage(visit: Visit, scan: ScanRecord): Response {
  if (scan.status === "finished") return reportPage(visit, scan);
  const { words } = visit;
  const title = words.say(`scan.${scan.status}`);
  return page(visit, {
    title,
    noIndex: true,
    ...(scan.status === "failed" ? {} : { refreshSeconds }),
    children: (
      <>
        <h1>{title}</h1>
        <p>{scan.url}</p>
      </>
    ),
  });
}
