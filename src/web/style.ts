/** Style sheet of all pages: styles of reports and forms, and what only pages have. */
import { reportStyle } from "../report/style.ts";
import forms from "./assets/styles/forms.css" with { type: "text" };
import pages from "./assets/styles/pages.css" with { type: "text" };
import sites from "./assets/styles/sites.css" with { type: "text" };

/** The layers of the first part set the order of the rules. */
export const style = [reportStyle, forms, pages, sites].join("\n");
