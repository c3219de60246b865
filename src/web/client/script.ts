/** The only script of the pages: self-contained functions, sent as source text and run after the page has loaded. */
import { decodeCsv } from "../../parse/site-csv.ts";
import { focusResult, followScan, progressView, stageAnnouncer } from "./follow-scan.ts";
import { closeMenus, copyButtons, openDetails, printButtons, relativeTimes, revealPasswords, tickedLines } from "./page-features.ts";
import { elapsedText, movingPercent } from "./progress-texts.ts";
import { expandRows, findingFilter, ledgerFilter } from "./report-filters.ts";
import { pickSiteRows, readTextFiles, takeOverList, updateSiteList } from "./site-list.ts";

/** Each may only use its own scope, its arguments and browser globals. */
const features: readonly (() => void)[] = [
  closeMenus,
  copyButtons,
  expandRows,
  findingFilter,
  focusResult,
  ledgerFilter,
  openDetails,
  pickSiteRows,
  printButtons,
  relativeTimes,
  revealPasswords,
  tickedLines,
];

const progressArguments = [`(${stageAnnouncer.toString()})()`, movingPercent.toString(), elapsedText.toString()].join(", ");

export const script = [
  '"use strict";',
  ...features.map((feature) => `(${feature.toString()})();`),
  `(${updateSiteList.toString()})(${takeOverList.toString()});`,
  `(${readTextFiles.toString()})(${decodeCsv.toString()});`,
  `(${followScan.toString()})((${progressView.toString()})(${progressArguments}));`,
  "",
].join("\n");
