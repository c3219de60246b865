/** Pages of watched sites in every state. */
import { at, longWord, type Place, sent } from "./place.ts";

const bulk = "form#bulk";
const importForm = "form:has([name=text])";
const list = ["one.example,One,Example Ltd,live|shop", "not an address", "https://watched.example/", `${longWord}.example,${longWord}`];

export const sitePlaces: readonly Place[] = [
  { name: "sites", who: "agency", go: at("/sites") },
  { name: "sites-filtered", who: "agency", go: at("/sites?client=Example+Ltd&band=poor&sort=score&dir=desc") },
  { name: "sites-no-match", who: "agency", go: at(`/sites?q=${longWord}none`) },
  { name: "sites-done", who: "agency", go: at("/sites?done=scan&count=12&left=3&select=all") },
  { name: "sites-none", who: "free", go: at("/sites") },
  { name: "sites-shared", who: "careful", go: at(({ sites }) => `/sites?of=${sites.owner}`) },
  { name: "sites-none-chosen", who: "agency", status: 400, go: sent("/sites", { do: "pause" }, bulk) },
  { name: "sites-tag-refused", who: "agency", status: 400, go: sent("/sites?select=all", { do: "tag", value: longWord }, bulk) },
  { name: "sites-deletion", who: "agency", go: sent("/sites?select=all", { do: "delete" }, bulk) },
  { name: "site", who: "agency", go: at(({ sites }) => `/sites/${sites.measured}`) },
  { name: "site-new", who: "agency", go: at(({ sites }) => `/sites/${sites.fresh}?done=added`) },
  { name: "site-busy", who: "agency", go: at(({ sites }) => `/sites/${sites.fresh}?done=busy`) },
  { name: "site-read-only", who: "careful", go: at(({ sites }) => `/sites/${sites.measured}`) },
  { name: "site-read-only-edit", who: "careful", status: 403, go: at(({ sites }) => `/sites/${sites.measured}/edit`) },
  { name: "site-unknown", who: "free", status: 404, go: at(({ sites }) => `/sites/${sites.measured}`) },
  {
    name: "site-acceptance-refused",
    who: "agency",
    status: 400,
    go: sent(({ sites }) => `/sites/${sites.measured}`, { reason: " ", until: "never" }, "form:has([value=accept])"),
  },
  { name: "site-deletion", who: "agency", go: sent(({ sites }) => `/sites/${sites.measured}`, {}, "form:has([name=do][value=delete])") },
  { name: "site-add", who: "agency", go: at("/sites/new") },
  {
    name: "site-add-refused",
    who: "agency",
    status: 400,
    go: sent("/sites/new", { url: longWord.repeat(4), tags: longWord, pages: "https://other.example/", every: "cron", cron: longWord }),
  },
  { name: "site-edit", who: "agency", go: at(({ sites }) => `/sites/${sites.fresh}/edit`) },
  {
    name: "site-edit-outdated",
    who: "agency",
    status: 409,
    go: sent(({ sites }) => `/sites/${sites.fresh}/edit`, { version: "older", name: longWord }, "form:has([name=version])"),
  },
  { name: "sites-import", who: "agency", go: at("/sites/import") },
  { name: "sites-import-preview", who: "agency", go: sent("/sites/import", { text: list.join("\n") }, importForm) },
  { name: "sites-import-refused", who: "agency", status: 400, go: sent("/sites/import", { text: " " }, importForm) },
  { name: "client", who: "agency", go: at("/clients/Example%20Ltd") },
];
