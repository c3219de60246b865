/** Does the encrypted page load anything, or send a form, without encryption? */
import { foundAtAddresses, notChecked, type RequestsFacts, registerCheck, violatedBy } from "assay/check";

export default registerCheck({
  key: "mixed-content",
  weight: 5,
  appliesTo: ["https"],
  reads: ["requests"],
  consults: ["dom"],
  findings: {
    "security.content.active-mixed-content": { severity: "high", riskLevel: "high", effort: "medium", scoreCap: 60 },
    "security.content.passive-mixed-content": { severity: "medium", riskLevel: "low", effort: "low" },
    "security.content.upgraded-mixed-content": { severity: "medium", riskLevel: "low", effort: "low" },
    "security.content.insecure-form-action": { severity: "medium", riskLevel: "high", effort: "low" },
  },
  judge({ requests, dom }) {
    const loadedOrBlocked = requests.insecure.filter(({ outcome }) => outcome !== "upgraded");
    const forms = dom.status === "read" ? dom.facts.forms : [];
    // A form of the method "dialog" is never sent.
    const insecureForms = forms.filter(({ action, method }) => /^http:/i.test(action) && method.toLowerCase() !== "dialog");
    const found = [
      ...foundAtAddresses("security.content.active-mixed-content", urlsOf(loadedOrBlocked.filter((request) => !isPassive(request)))),
      ...foundAtAddresses("security.content.passive-mixed-content", urlsOf(loadedOrBlocked.filter(isPassive))),
      ...foundAtAddresses(
        "security.content.upgraded-mixed-content",
        urlsOf(requests.insecure.filter(({ outcome }) => outcome === "upgraded")),
      ),
      ...foundAtAddresses(
        "security.content.insecure-form-action",
        insecureForms.map(({ action }) => action),
      ),
    ];
    const unread = dom.status === "failed" || dom.facts.formsDropped > 0;
    return found.length === 0 && unread ? notChecked() : violatedBy(found);
  },
});

type InsecureRequest = RequestsFacts["insecure"][number];

/** Mixed Content, "upgradeable content": what can only be seen or heard. All else can take over the page, and browsers block it. */
function isPassive({ kind }: InsecureRequest): boolean {
  return kind === "image" || kind === "media";
}

function urlsOf(requests: readonly InsecureRequest[]): readonly string[] {
  return requests.map(({ url }) => url);
}
