/** Places where a document declares its encoding. */
import check from "../../../checks/content-type-charset.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "content-type": values } });
const meta = (given: { httpEquiv?: string; name?: string; content: string }) => ({
  dom: { metas: [{ httpEquiv: null, name: null, truncated: false, ...given }] },
});

testCheck(check, {
  passed: [
    ["in the header", header("text/html; charset=utf-8")],
    ["by a byte order mark", { ...header("text/html"), dom: { characterSet: "UTF-8" } }],
    ["by a byte order mark of UTF-16", { ...header("text/html"), dom: { characterSet: "UTF-16BE" } }],
    ["by a byte order mark, beside an unknown label", { ...header("text/html; charset=none"), dom: { characterSet: "UTF-16LE" } }],
    ["in the header, quoted", header('text/html;charset="UTF-8"')],
    ["in a meta element", meta({ name: "charset", content: "utf-8" })],
    ["in a meta element of the legacy form", meta({ httpEquiv: "content-type", content: "text/html; charset=iso-8859-1" })],
    ["in the header, and an unread document", { ...header("text/html; charset=utf-8"), dom: "crashed" }],
    [
      "an unknown label in the header, and a valid element",
      { ...header("text/html; charset=none"), ...meta({ name: "charset", content: "utf-8" }) },
    ],
  ],
  notApplicable: [
    ["not HTML", { page: { mediaType: "image/svg+xml" } }],
    ["XML declares its encoding itself", { page: { mediaType: "application/xhtml+xml" } }],
  ],
  notChecked: [
    ["not in the header, and an unread document", { ...header("text/html"), dom: "crashed" }],
    ["not in the header, and dropped elements", { ...header("text/html"), dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.content.charset-missing": [
      ["nowhere", header("text/html"), { values: { contentType: "text/html" } }],
      ["an empty parameter", header("text/html; charset=")],
      ["an encoding that the browser guessed", { ...header("text/html"), dom: { characterSet: "windows-1252" } }],
      ["no type at all", { page: { mediaType: null } }],
    ],
    "security.content.charset-unknown": [
      ["an unknown label", header("text/html; charset=utf-7"), { values: { charset: "utf-7" } }],
      ["an unknown label in an element", meta({ name: "charset", content: "unicode-9000" }), { values: { charset: "unicode-9000" } }],
    ],
  },
});
