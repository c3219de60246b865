/** Style sheet of reports and of the frame around them, joined from one file for each part. */
import base from "./styles/base.css" with { type: "text" };
import components from "./styles/components.css" with { type: "text" };
import frame from "./styles/frame.css" with { type: "text" };
import print from "./styles/print.css" with { type: "text" };
import report from "./styles/report.css" with { type: "text" };
import states from "./styles/states.css" with { type: "text" };
import tables from "./styles/tables.css" with { type: "text" };
import tokens from "./styles/tokens.css" with { type: "text" };

/** The first file sets the order of the layers. */
export const reportStyle = [tokens, base, frame, components, tables, report, states, print].join("\n");
