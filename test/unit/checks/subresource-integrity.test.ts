/** Scripts and style sheets of other sites need integrity attributes. */
import check from "../../../checks/subresource-integrity.ts";
import type { OtherSiteFile } from "../../../src/evidence/page-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { subresource } from "../../support/subresources.ts";

/** A script under an address with a version. */
const script = (changes: Parameters<typeof subresource>[0] = {}) => subresource({ url: "https://cdn.example/lib-1.2.3.js", ...changes });
const page = (...subresources: ReturnType<typeof subresource>[]) => ({ dom: { subresources } });
const integrity = `sha384-${"a".repeat(64)}`;

const file = (given: Partial<OtherSiteFile> = {}): OtherSiteFile => ({
  url: "https://cdn.example/lib-1.2.3.js",
  kind: "script",
  preloaded: false,
  inFrame: false,
  unguarded: true,
  ...given,
});
/** A page whose elements differ from what the browser requested. */
const requested = (otherSites: readonly OtherSiteFile[], ...subresources: ReturnType<typeof subresource>[]) => ({
  dom: { subresources, otherSites, otherSitesDropped: 0 },
});
const ownUrl = "https://site.example/moved.js";
const ownScript = () => subresource({ url: ownUrl, sameSite: true, sameOrigin: true });
const withMap = (url: string) => ({ dom: { importIntegrity: [{ url, integrity }], otherSites: [file()], otherSitesDropped: 0 } });

testCheck(check, {
  passed: [
    ["a script with integrity", page(subresource({ integrity }))],
    [
      "a style sheet with integrity, beside the site's own",
      page(subresource({ kind: "style", integrity }), subresource({ sameSite: true })),
    ],
    ["an attribute that another check judges", page(subresource({ integrity: "md5-x" }))],
    ["an import that the import map pins", withMap(file().url)],
    ["a script whose fragment is not requested", requested([file()], script({ url: `${file().url}#x`, integrity }))],
    ["beside a script that no browser requests", requested([file()], script({ url: "https://a.example/a-1.0.js" }), script({ integrity }))],
  ],
  notApplicable: [
    ["nothing", {}],
    ["a script that no browser requests", requested([], script())],
    ["a preload that nothing uses", requested([file({ preloaded: true, unguarded: false })])],
    ["another host of the same site", page(subresource({ url: "https://static.site.example/a.js", sameSite: true }))],
    ["neither script nor style sheet", page(subresource({ kind: "preload" }), subresource({ kind: "other" }))],
    ["content inside the URL", page(subresource({ url: "data:text/javascript,1" }), subresource({ url: "blob:https://site.example/1" }))],
  ],
  notChecked: [
    ["a script whose element is gone may have had an attribute", requested([file({ unguarded: false })])],
    ["the document of a frame is not read", requested([file({ inFrame: true })])],
    ["requests were dropped", { dom: { subresources: [script({ integrity })], otherSites: [file()], otherSitesDropped: 1 } }],
    ["subresources were dropped", { dom: { subresources: [subresource({ integrity })], subresourcesDropped: 1 } }],
  ],
  violated: {
    "security.content.script-without-integrity": [
      ["no attribute", page(script(), script({ integrity })), { values: { resources: "https://cdn.example/lib-1.2.3.js", total: 1 } }],
      ["an empty attribute", page(script({ integrity: " " }))],
      ["only crossorigin", page(script({ crossOrigin: "anonymous" }))],
      ["that browsers request", requested([file()], script())],
      ["requests were dropped", { dom: { subresources: [script()], otherSites: [], otherSitesDropped: 1 } }],
      ["an import", requested([file()]), { values: { resources: file().url, total: 1 } }],
      [
        "an import beside a script with integrity",
        requested([file({ url: "https://cdn.example/lib.js" }), file()], subresource({ integrity })),
      ],
      [
        "an address of the site that leads to another site",
        requested([file({ url: ownUrl, answeredBy: "https://cdn.example/lib-1.2.3.js" })], ownScript()),
        { values: { resources: "https://cdn.example/lib-1.2.3.js", total: 1 } },
      ],
      ["an import that the import map leaves out", withMap("https://cdn.example/")],
      ["two", page(script(), subresource({ url: "https://stats.example/s-1.2.js" })), { values: { total: 2 } }],
      ["other subresources were dropped", { dom: { subresources: [script()], subresourcesDropped: 1 } }],
    ],
    "security.content.style-without-integrity": [
      [
        "a style sheet",
        page(subresource({ kind: "style", url: "https://fonts.example/2.0/css" })),
        { values: { resources: "https://fonts.example/2.0/css", total: 1 } },
      ],
      [
        "a package without a version",
        page(subresource({ kind: "style", url: "https://cdn.jsdelivr.net/npm/bootstrap@5/dist/bootstrap.css" })),
      ],
      ["both kinds", page(script({ kind: "style" }), script()), { also: ["security.content.script-without-integrity"] }],
    ],
    "security.content.script-unpinnable": [
      ["no version", page(subresource()), { values: { resources: "https://cdn.example/lib.js", total: 1 } }],
      ["a main version only", page(subresource({ url: "https://js.pay.example/v3/" }))],
      ["beside one that can be pinned", page(subresource(), script()), { also: ["security.content.script-without-integrity"] }],
    ],
    "security.content.style-unpinnable": [
      ["by @import", requested([file({ kind: "style", url: "https://cdn.example/lib-1.2.3.css", unguarded: false })])],
      ["fonts for this browser", page(subresource({ kind: "style", url: "https://fonts.example/css2?family=Inter:wght@400" }))],
    ],
  },
});
