/** The only script of the pages: self-contained functions, sent as source text and run after the page has loaded. */
import { copyButtons, printButtons, revealPasswords } from "./buttons.ts";
import { expandRows, findingFilter } from "./finding-filter.ts";
import { followScan, progressView } from "./follow-scan.ts";
import { ledgerFilter } from "./ledger-filter.ts";
import { openDetails } from "./open-details.ts";

/** Each may only use its own scope, its arguments and browser globals. */
const features: readonly (() => void)[] = [
  copyButtons,
  expandRows,
  findingFilter,
  ledgerFilter,
  openDetails,
  printButtons,
  revealPasswords,
];

export const script = [
  '"use strict";',
  ...features.map((feature) => `(${feature.toString()})();`),
  `(${followScan.toString()})((${progressView.toString()})());`,
  "",
].join("\n");
