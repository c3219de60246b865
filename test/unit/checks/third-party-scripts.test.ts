/** Hosts of other sites that run scripts, with and without integrity attributes. */
import check from "../../../checks/third-party-scripts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { subresource } from "../../support/subresources.ts";

const file = (url: string, given: { readonly answeredBy?: string; readonly sameSite?: boolean; readonly inWorker?: boolean } = {}) => ({
  url,
  answeredBy: null,
  sameSite: false,
  ...given,
});
const files = (...all: readonly ReturnType<typeof file>[]) => ({ scripts: { files: all } });
const integrity = `sha384-${"a".repeat(64)}`;
const url = "https://cdn.example/lib.js";
const pinned = { dom: { subresources: [subresource({ url, integrity })] } };

testCheck(check, {
  passed: [
    ["no script", {}],
    ["scripts of the own site", files(file("https://static.site.example/a.js", { sameSite: true }))],
    ["an import of a worker from the own site", files(file("https://static.site.example/a.js", { sameSite: true, inWorker: true }))],
  ],
  notApplicable: [["an image", { page: { mediaType: "image/png" } }]],
  notChecked: [["files were dropped", { scripts: { filesDropped: 1 } }]],
  violated: {
    "security.content.third-party-scripts": [
      ["one file", files(file(url)), { values: { resources: "cdn.example", total: 1 } }],
      [
        "two hosts, one with two files",
        files(file(url), file("https://cdn.example/other.js"), file("https://a.example/t.js")),
        { values: { resources: "a.example, cdn.example", total: 2 } },
      ],
      [
        "an integrity value that browsers ignore",
        { ...files(file(url)), dom: { subresources: [subresource({ url, integrity: "md5-x" })] } },
      ],
      ["an entry of the import map that browsers skip", { ...files(file(url)), dom: { importIntegrity: [{ url, integrity: "sha1-x" }] } }],
      ["a hash on a preload only", { ...files(file(url)), dom: { subresources: [subresource({ url, integrity, kind: "preload" })] } }],
      [
        "a redirect to another site",
        files(file("https://site.example/a.js", { answeredBy: url })),
        { values: { resources: "cdn.example", total: 1 } },
      ],
      ["a host with a pinned file and another one", { ...files(file(url), file("https://cdn.example/other.js")), ...pinned }],
      ["a pinned file that a worker imports as well", { ...files(file(url, { inWorker: true })), ...pinned }],
      ["other files were dropped", { scripts: { files: [file(url)], filesDropped: 1 } }],
    ],
    "security.content.third-party-scripts-pinned": [
      [
        "an import that the import map pins",
        { ...files(file(url)), dom: { importIntegrity: [{ url, integrity }] } },
        { values: { total: 1 } },
      ],
      ["a file with integrity", { ...files(file(url)), ...pinned }, { values: { resources: "cdn.example", total: 1 } }],
      [
        "a fragment in the document",
        { ...files(file(url)), dom: { subresources: [subresource({ url: `${url}#a`, integrity })] } },
        { values: { total: 1 } },
      ],
      [
        "beside a host without",
        { ...files(file(url), file("https://a.example/t.js")), ...pinned },
        { also: ["security.content.third-party-scripts"] },
      ],
    ],
  },
});
