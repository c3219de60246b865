/** Starts a proof: `POST /proofs`, with the page of a scan or of an earlier proof, so that no address is typed; and the button of reports. */
import { canProve } from "../../evidence/scan.ts";
import type { StoredFinding } from "../../judge/result.ts";
import { localLocation } from "../../parse/location.ts";
import { type DraftStart, plannedHeaderCharsMax, planOf, policyField } from "../../prove/plan.ts";
import { faultsOfPolicy, type PolicyFault } from "../../prove/policy-faults.ts";
import { startProof } from "../../prove/proof-operations.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { findingCost } from "../../text/ledger-rows.ts";
import { fixedFinding } from "../../text/render.ts";
import { headerChangesFor } from "../../text/servers/server-lines.ts";
import { ActionForm } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import {
  formMalformed,
  proofElsewherePage,
  proofLimitPage,
  proofQueueFullPage,
  proofRefusedPage,
  scanNotFoundPage,
  signInFirst,
} from "../errors.ts";
import { type Fields, readForm } from "../form.tsx";
import { redirect } from "../response.ts";
import { resultOf } from "../scans/report/stored-report.ts";
import { mayScan, type Visit } from "../visit.ts";
import { proofOf, proofPage } from "./proof.tsx";
import { todaysPolicy } from "./today.ts";

/** Characters of a form may be percent-encoded. */
const proofFormBytesMax = 4 * plannedHeaderCharsMax;

/** Words of the user that a message repeats. */
const quotedCharsMax = 60;

interface Wanted {
  readonly url: string;
  readonly location: string;
  /** As "Name: value"; "Name:" takes a field away. */
  readonly headers: readonly string[];
  readonly draft: DraftStart | null;
  /** Policy of the user; null for a draft. */
  readonly policy: string | null;
}

export async function postProof(visit: Visit): Promise<Response> {
  const form = await readForm(visit, proofFormBytesMax);
  if (!mayScan(visit)) throw signInFirst();
  const { i18n, settings, account, requestId } = visit;
  const wanted = wantedOf(visit, form);
  const { url, location, headers, draft, policy } = wanted;
  if (!proves(visit, location)) throw proofElsewherePage(location);
  if (location === localLocation && !settings.scanning.mayBeScanned(url)) throw proofRefusedPage();
  const [fault] = policy === null ? [] : faultsOfPolicy(policy);
  if (fault !== undefined) return refusedPolicy(visit, form, faultText(i18n, fault));
  const planned = planOf(policy === null ? headers : [...headers, `${policyField}: ${policy}`], draft);
  if ("fault" in planned) throw formMalformed();
  const started = await startProof(settings, visit, { urls: [url], location, plan: planned.plan, idempotency: null, requestId });
  if ("resetSeconds" in started) throw proofLimitPage(account === null, i18n, started.resetSeconds);
  if ("refused" in started) throw proofQueueFullPage();
  return redirect(visit, `/proofs/${started.done.token}`);
}

/** Whether proofs can run at the location now. */
export function proves({ settings: { scanning } }: Pick<Visit, "settings">, location: string): boolean {
  return location === localLocation || canProve(scanning.locations.provers(location));
}

/** Where the scan or earlier proof ran. @throws PageError 404 for an unknown scan or proof, 400 for what no form sends. */
function wantedOf(visit: Visit, form: Fields): Wanted {
  const { store } = visit.settings;
  const start = form.text("start");
  if (form.text("proof") !== "") {
    const proof = proofOf(visit, form.text("proof"));
    const { url, plan } = proof;
    const location = scanLocationOf(proof);
    const headers = plan.headers.map(({ name, value }) => `${name}: ${value ?? ""}`);
    if (start === "own") return { url, location, headers, draft: null, policy: form.text("policy") };
    if (start !== "today") return { url, location, headers, draft: draftNamed(start), policy: null };
    const policy = todaysPolicy(store, url);
    if (policy === null) throw formMalformed();
    return { url, location, headers, draft: null, policy };
  }
  const scan = store.scans.findByToken(form.text("scan"));
  if (scan?.status !== "finished") throw scanNotFoundPage();
  const result = resultOf(visit, scan);
  const code = form.text("finding");
  const findings = result.findings.filter((one) =>
    code === "" ? findingCost(one, result, visit.settings.catalog.checks).points !== 0 : one.code === code,
  );
  return { url: scan.url, location: scanLocationOf(scan), ...fixOf(visit, scan, findings), policy: null };
}

function draftNamed(start: string): DraftStart {
  if (start !== "strict" && start !== "hosts") throw formMalformed();
  return start;
}

/** Headers of the lines for these findings. A policy is always drafted: the lines know nothing of the page. */
function fixOf(
  { settings: { texts } }: Pick<Visit, "settings">,
  { url }: ScanRecord,
  findings: readonly StoredFinding[],
): Pick<Wanted, "headers" | "draft"> {
  const { changes } = headerChangesFor(findings.map((finding) => fixedFinding(finding, { url }, texts)));
  const isPolicy = ({ name }: { readonly name: string }) => name.toLowerCase() === policyField;
  const headers = changes.filter((change) => !isPolicy(change)).map(({ name, value }) => `${name}: ${value ?? ""}`);
  return { headers, draft: changes.some(isPolicy) ? "strict" : null };
}

/** The page of the proof again, with the policy as it was sent. */
function refusedPolicy(visit: Visit, form: Fields, error: string): Response {
  const token = form.text("proof");
  const path = { ...visit, url: new URL(`/proofs/${token}`, visit.url) };
  return proofPage(path, proofOf(visit, token), { policy: form.text("policy").slice(0, plannedHeaderCharsMax), error });
}

function faultText(i18n: Visit["i18n"], { kind, word, line, column, suggestion }: PolicyFault): string {
  const place = i18n.t("proofs.faults.place", { line, column });
  const advice = suggestion === null ? "" : ` ${i18n.t("proofs.faults.suggestion", { suggestion })}`;
  return `${place} ${i18n.t(`proofs.faults.kinds.${kind}`, { word: word.slice(0, quotedCharsMax) })}${advice}`;
}

interface TryFixProps {
  readonly scan: ScanRecord;
  /** Null for all findings that cost points. */
  readonly finding: StoredFinding | null;
  readonly all: readonly StoredFinding[];
}

/** Button that proves the headers of lines on the page. Null if lines change no header, for visitors who may not scan, and where no proof can run now. */
export function TryFix({ scan, finding, all }: TryFixProps) {
  const visit = useVisit();
  if (!mayScan(visit) || !proves(visit, scanLocationOf(scan))) return null;
  const { headers, draft } = fixOf(visit, scan, finding === null ? all : [finding]);
  if (headers.length === 0 && draft === null) return null;
  const hidden = { scan: scan.token, ...(finding !== null && { finding: finding.code }) };
  const label = finding === null ? undefined : visit.i18n.t("proofs.tryFixOf", { code: finding.code });
  return (
    <ActionForm action="/proofs" hidden={hidden} kind="plain" compact submit="proofs.tryFix" {...(label !== undefined && { label })} />
  );
}
