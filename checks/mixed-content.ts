/** Checks that an https page loads nothing and sends no form over plain http. */
import {
  type DomFacts,
  foundAtAddresses,
  type MarkupFacts,
  type Reading,
  type RequestsFacts,
  registerCheck,
  sendPolicy,
  violatedBy,
} from "assay/check";
import { isInsecureUrl, isLoopbackUrl } from "assay/check/parsers";

export default registerCheck({
  key: "mixed-content",
  weight: 5,
  area: "content",
  standards: ["W3C Mixed Content", "W3C Secure Contexts section 3.1"],
  appliesTo: ["https"],
  reads: ["requests"],
  consults: ["dom", "markup"],
  findings: {
    "security.content.active-mixed-content": { severity: "high", riskLevel: "high", effort: "medium", cwe: 319, weight: 12, scoreCap: 60 },
    "security.content.passive-mixed-content": { severity: "medium", riskLevel: "low", effort: "medium", cwe: 319 },
    "security.content.upgraded-mixed-content": { severity: "medium", riskLevel: "low", effort: "low", cwe: 319 },
    "security.content.insecure-form-action": { severity: "medium", riskLevel: "high", effort: "medium", cwe: 319 },
  },
  fixes: {
    "security.content.active-mixed-content": [sendPolicy("upgrade-insecure-requests")],
    "security.content.passive-mixed-content": [sendPolicy("upgrade-insecure-requests")],
    "security.content.upgraded-mixed-content": [sendPolicy("upgrade-insecure-requests")],
    "security.content.insecure-form-action": [sendPolicy("form-action 'self'; upgrade-insecure-requests", "kept", { cures: false })],
  },
  judge({ requests, dom, markup }) {
    const insecure = requests.insecure.filter(({ url }) => !isLoopbackUrl(url));
    const notUpgraded = insecure.filter(({ kind, outcome }) => kind !== "form" && outcome !== "upgraded");
    const upgraded = insecure.filter(({ outcome }) => outcome === "upgraded");
    const found = [
      ...foundAtAddresses("security.content.active-mixed-content", urlsOf(notUpgraded.filter((request) => !isPassive(request)))),
      ...foundAtAddresses("security.content.passive-mixed-content", urlsOf(notUpgraded.filter(isPassive))),
      ...foundAtAddresses("security.content.upgraded-mixed-content", urlsOf(upgraded)),
      ...foundAtAddresses("security.content.insecure-form-action", insecureFormActions(insecure, dom, markup)),
    ];
    const unread =
      dom.status === "failed" || dom.facts.formsDropped > 0 || markup.status === "failed" || markup.facts.formActionsDropped > 0;
    return violatedBy(found, !unread);
  },
});

type InsecureRequest = RequestsFacts["insecure"][number];

/** Kinds from Chromium's requests and from its mixed content reports; only the reports distinguish audio and video. */
const passiveKinds: readonly string[] = ["image", "media", "audio", "video", "favicon"];

/** Mixed Content, "upgradeable content": images, audio and video. Other content can take over the page, and browsers block it. */
function isPassive({ kind }: InsecureRequest): boolean {
  return passiveKinds.includes(kind);
}

/** Insecure targets of forms and of their buttons, and those that Chromium reported. Reported forms may no longer exist. */
function insecureFormActions(
  insecure: readonly InsecureRequest[],
  dom: Reading<DomFacts>,
  markup: Reading<MarkupFacts>,
): readonly string[] {
  const forms = dom.status === "read" ? dom.facts.forms : [];
  const buttons = markup.status === "read" ? markup.facts.formActions : [];
  // Browsers never send forms of the method "dialog".
  const sent = [...forms, ...buttons].filter(({ action, method }) => isInsecureUrl(action) && method.toLowerCase() !== "dialog");
  return [...sent.map(({ action }) => action), ...urlsOf(insecure.filter(({ kind }) => kind === "form"))];
}

function urlsOf(requests: readonly InsecureRequest[]): readonly string[] {
  return requests.map(({ url }) => url);
}
