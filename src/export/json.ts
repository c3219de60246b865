/** Full reports as JSON, one line for each scan: the body that the API gives. */
import { renderFullReport } from "../text/render.ts";
import type { ExportWriter } from "./export.ts";

export const writeJson: ExportWriter = (scans, { locale, texts }) => {
  const lines = scans.map(({ scan, result, evidence, timings }) =>
    JSON.stringify(renderFullReport(scan, result, { evidence, timings }, locale, texts)),
  );
  return lines.map((line) => `${line}\n`).join("");
};
