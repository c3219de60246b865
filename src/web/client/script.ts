/** The only script of the pages: self-contained functions, sent as source text and run after the page has loaded. */
import { copyButtons } from "./copy-buttons.ts";
import { followScan } from "./follow-scan.ts";
import { ledgerFilter } from "./ledger-filter.ts";
import { openDetails } from "./open-details.ts";
import { printButtons } from "./print-buttons.ts";
import { revealPasswords } from "./reveal-passwords.ts";

/** A function may only use its own scope and browser globals. */
const features: readonly (() => void)[] = [copyButtons, followScan, ledgerFilter, openDetails, printButtons, revealPasswords];

export const script = `"use strict";\n${features.map((feature) => `(${feature.toString()})();`).join("\n")}\n`;
