/** Style sheet of all pages, joined from one file for each part. */
import base from "./assets/styles/base.css" with { type: "text" };
import components from "./assets/styles/components.css" with { type: "text" };
import forms from "./assets/styles/forms.css" with { type: "text" };
import frame from "./assets/styles/frame.css" with { type: "text" };
import print from "./assets/styles/print.css" with { type: "text" };
import report from "./assets/styles/report.css" with { type: "text" };
import states from "./assets/styles/states.css" with { type: "text" };
import tables from "./assets/styles/tables.css" with { type: "text" };

/** The first file sets the order of the layers. */
export const style = [base, forms, frame, components, tables, report, states, print].join("\n");
