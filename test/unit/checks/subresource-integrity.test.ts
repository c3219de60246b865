/** Scripts and style sheets of other sites need integrity attributes. */
import check from "../../../checks/subresource-integrity.ts";
import { testCheck } from "../../support/check-tester.ts";
import { subresource } from "../../support/subresources.ts";

const page = (...subresources: ReturnType<typeof subresource>[]) => ({ dom: { subresources } });
const integrity = `sha384-${"a".repeat(64)}`;

testCheck(check, {
  passed: [
    ["a script with integrity", page(subresource({ integrity }))],
    [
      "a style sheet with integrity, beside the site's own",
      page(subresource({ kind: "style", integrity }), subresource({ sameSite: true })),
    ],
    ["an attribute that another check judges", page(subresource({ integrity: "md5-x" }))],
  ],
  notApplicable: [
    ["nothing", {}],
    ["another host of the same site", page(subresource({ url: "https://static.site.example/a.js", sameSite: true }))],
    ["neither script nor style sheet", page(subresource({ kind: "preload" }), subresource({ kind: "other" }))],
    ["content inside the URL", page(subresource({ url: "data:text/javascript,1" }), subresource({ url: "blob:https://site.example/1" }))],
  ],
  notChecked: [["subresources were dropped", { dom: { subresources: [subresource({ integrity })], subresourcesDropped: 1 } }]],
  violated: {
    "security.content.script-without-integrity": [
      ["no attribute", page(subresource(), subresource({ integrity })), { values: { resources: "https://cdn.example/lib.js", total: 1 } }],
      ["an empty attribute", page(subresource({ integrity: " " }))],
      ["only crossorigin", page(subresource({ crossOrigin: "anonymous" }))],
      ["two", page(subresource(), subresource({ url: "https://stats.example/s.js" })), { values: { total: 2 } }],
      ["other subresources were dropped", { dom: { subresources: [subresource()], subresourcesDropped: 1 } }],
    ],
    "security.content.style-without-integrity": [
      [
        "a style sheet",
        page(subresource({ kind: "style", url: "https://fonts.example/css" })),
        { values: { resources: "https://fonts.example/css", total: 1 } },
      ],
      ["both kinds", page(subresource({ kind: "style" }), subresource()), { also: ["security.content.script-without-integrity"] }],
    ],
  },
});
