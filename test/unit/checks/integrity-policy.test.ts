/** Values that browsers enforce, files that they block, and pages that could send the header. */
import check from "../../../checks/integrity-policy.ts";
import { testCheck } from "../../support/check-tester.ts";
import { subresource } from "../../support/subresources.ts";

const policy = (...values: string[]) => ({ headers: { "integrity-policy": values } });
const blocked = (...integrityPolicyBlocked: string[]) => ({ requests: { integrityPolicyBlocked } });
const none = blocked();
const sound = policy("blocked-destinations=(script)");
const integrity = `sha384-${"a".repeat(64)}`;
const url = "https://site.example/app.js";
const files = (...urls: string[]) => ({ scripts: { files: urls.map((url) => ({ url, answeredBy: null, sameSite: true })) } });

testCheck(check, {
  passed: [
    ["scripts", { ...sound, ...none }],
    [
      "with style sheets, the source and an endpoint",
      { ...policy("blocked-destinations=(script style), sources=(inline), endpoints=(e)"), ...none },
    ],
    ["in two fields", { ...policy("sources=(inline)", "blocked-destinations=( script )"), ...none }],
    ["an unknown key beside", { ...policy("blocked-destinations=(script), x=?0"), ...none }],
  ],
  notApplicable: [
    ["no header, and no script", none],
    ["no header, and a script without integrity", { ...none, ...files(url), dom: { subresources: [subresource({ url })] } }],
    [
      "no header, and one script of two without",
      {
        ...none,
        ...files(url, `${url}?2`),
        dom: { subresources: [subresource({ url, integrity, crossOrigin: "" }), subresource({ url: `${url}?2` })] },
      },
    ],
    ["no header, and a script without CORS", { ...none, ...files(url), dom: { subresources: [subresource({ url, integrity })] } }],
    ["no header, and an import that no map pins", { ...none, ...files(url) }],
    ["not HTML", { page: { mediaType: "image/png" } }],
  ],
  notChecked: [
    ["evidence of an older version", sound],
    ["requests were not read", { ...sound, requests: "crashed" }],
  ],
  violated: {
    "security.invalid-header.integrity-policy": [
      ["quotes", policy('blocked-destinations=("script")'), { values: { value: 'blocked-destinations=("script")' } }],
      ["no list", policy("blocked-destinations=script")],
      ["only a destination that no browser supports", policy("blocked-destinations=(image)")],
      ["no destination", policy("blocked-destinations=()")],
      ["another source", policy("blocked-destinations=(script), sources=(foo)")],
      ["no dictionary", policy("script;")],
      ["an empty value", policy("")],
      ["a separator of another kind", policy("blocked-destinations=(script); sources=(inline), ;")],
    ],
    "security.content.integrity-policy-blocks": [["a file", { ...sound, ...blocked(url) }, { values: { resources: url, total: 1 } }]],
    "security.content.integrity-policy-possible": [
      [
        "each script has a hash",
        { ...none, ...files(url), dom: { subresources: [subresource({ url, integrity, crossOrigin: "" })] } },
        { values: { total: 1 } },
      ],
      ["by the import map", { ...none, ...files(url), dom: { importIntegrity: [{ url, integrity }] } }],
    ],
  },
});
