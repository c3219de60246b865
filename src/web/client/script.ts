/** The one script of the pages, made of functions that stand on their own: each is sent as its source text and run once the page is there. */
import { copyButtons } from "./copy-buttons.ts";
import { followScan } from "./follow-scan.ts";
import { ledgerFilter } from "./ledger-filter.ts";
import { openDetails } from "./open-details.ts";
import { printButtons } from "./print-buttons.ts";
import { revealPasswords } from "./reveal-passwords.ts";

/** None may name anything outside itself but what browsers have. */
const features: readonly (() => void)[] = [copyButtons, followScan, ledgerFilter, openDetails, printButtons, revealPasswords];

export const script = `"use strict";\n${features.map((feature) => `(${feature.toString()})();`).join("\n")}\n`;
