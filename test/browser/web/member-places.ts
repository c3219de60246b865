/** Pages of members and of the brand in every state. */
import { at, longWord, type Place, sent } from "./place.ts";

const invitation = "form:has([name=do][value=invite])";
const brandForm = "form:has([name=logo])";

export const memberPlaces: readonly Place[] = [
  { name: "members", who: "agency", go: at("/account/members") },
  { name: "members-shared", who: "careful", go: at("/account/members?done=accepted") },
  { name: "members-none", who: "free", go: at("/account/members") },
  { name: "members-refused", who: "agency", status: 400, go: sent("/account/members", { email: longWord }, invitation) },
  { name: "member-invited", who: "agency", go: sent("/account/members", { email: `${longWord}@assay.test`, role: "editor" }, invitation) },
  { name: "member-accept", who: "free", go: at(({ links }) => `/members/accept?invitation=${links.member}`) },
  { name: "member-accept-guest", go: at(({ links }) => `/members/accept?invitation=${links.member}`) },
  { name: "member-accept-other", who: "careful", status: 403, go: at(({ links }) => `/members/accept?invitation=${links.member}`) },
  { name: "member-accept-own", who: "agency", status: 403, go: at(({ links }) => `/members/accept?invitation=${links.member}`) },
  { name: "member-accept-invalid", status: 410, go: at("/members/accept?invitation=used") },
  { name: "brand", who: "agency", go: at("/account/brand?done=saved") },
  {
    name: "brand-refused",
    who: "agency",
    status: 400,
    go: sent("/account/brand", { name: " ", accent: "#ffee00", footer: longWord.repeat(3) }, brandForm),
  },
  { name: "brand-none", who: "careful", go: at("/account/brand") },
  { name: "brand-on-free-plan", who: "free", go: at("/account/brand") },
];
