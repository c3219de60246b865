/** X-Content-Type-Options values that disable sniffing, by the cases of the Fetch standard. */
import check from "../../../checks/x-content-type-options.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "x-content-type-options": values } });

testCheck(check, {
  passed: [
    ["nosniff", header("nosniff")],
    ["capitals", header("NoSniff")],
    ["repeated in two fields", header("nosniff", "nosniff")],
    ["repeated in one field", header("nosniff, nosniff")],
    ["the first value counts", header("nosniff, junk")],
    ["spaces around it", header(" nosniff\t")],
    ["on a page over http", { url: "http://site.example/", ...header("nosniff") }],
    ["on a document that is not HTML", { page: { mediaType: "application/json" }, ...header("nosniff") }],
  ],
  notApplicable: [],
  violated: {
    "security.missing-header.x-content-type-options": [
      ["no header", {}],
      ["no header on an image", { page: { mediaType: "image/png" } }],
    ],
    "security.invalid-header.x-content-type-options": [
      ["another word", header("nosnif"), { values: { value: "nosnif" } }],
      ["quotes", header('"nosniff"')],
      ["the first value is unknown", header("junk", "nosniff"), { values: { value: "junk, nosniff" } }],
      ["the first value is empty", header(", nosniff")],
      ["a parameter", header("nosniff; mode=block")],
      ["an empty value", header("")],
    ],
  },
});
