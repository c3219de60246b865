/** `/proofs/{token}`: the page of a proof while it waits and runs, and its result with the editor; and the proofs of an account. */
import { type ProofBody, type ProofPicture, proofPictures, proofSteps } from "../../evidence/proof.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import { hostOf } from "../../parse/site.ts";
import { draftStarts, plannedHeaderCharsMax } from "../../prove/plan.ts";
import { cancelOwnProof, readableProof } from "../../prove/proof-operations.ts";
import { Instant, LocationFact } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { HostUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import type { ProofRecord } from "../../store/proofs.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import { proofErrorMessage } from "../../text/render.ts";
import type { ServerName } from "../../text/servers/server-lines.ts";
import { ActionForm, type FormDescription, FormFields } from "../components/forms.tsx";
import { Pagination } from "../components/navigation.tsx";
import { outcomesOf } from "../components/outcome.tsx";
import { EmptyState, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { proofNotFoundPage, signInFirst } from "../errors.ts";
import { readForm } from "../form.tsx";
import type { GetFor } from "../guards.ts";
import { page } from "../page.tsx";
import { accountPage } from "../private-page.tsx";
import { redirect, respond } from "../response.ts";
import { cursorOf, listPath } from "../scans/list-query.ts";
import { screenshotOrNotFound } from "../scans/report/images.ts";
import type { FollowedState } from "../scans/state.ts";
import { ElapsedTime, FollowedProgress, percentText, refreshSeconds } from "../scans/waiting.tsx";
import { mayScan, type SharedVisit, type Visit } from "../visit.ts";
import { ProofResult } from "./proof-result.tsx";
import { policyIn, todaysPolicy } from "./today.ts";
import { WatchPolicy, watchingSites } from "./watch.tsx";

/** Finds the proof that the path names. @throws PageError 404 without one, and for proofs of others. */
export function proofOf({ account, settings: { store } }: Visit, token: string | null): ProofRecord {
  const proof = readableProof(store, account, token ?? "");
  if (proof === undefined) throw proofNotFoundPage();
  return proof;
}

/** A policy that was sent with the editor, and what is wrong with it. */
export interface RefusedPolicy {
  readonly policy: string;
  readonly error: string;
}

export function proofPage(visit: Visit, proof: ProofRecord, refused: RefusedPolicy | null = null): Response {
  const { i18n } = visit;
  const body = visit.settings.store.proofs.result(proof.token);
  const isOver = proof.status === "finished" || proof.status === "failed";
  const title = i18n.t("proofs.title", { host: hostOf(proof.url) ?? proof.url });
  return page(visit, {
    title: isOver ? title : `${percentText(i18n, stateOfProof(visit, proof))} \u00b7 ${title}`,
    noIndex: true,
    secret: true,
    ...(refused !== null && { status: 400 }),
    ...(!isOver && { refreshSeconds }),
    head: {
      title,
      lead: (
        <>
          <HostUrl url={proof.url} />
          <LocationFact location={scanLocationOf(proof)} />
        </>
      ),
    },
    children: isOver ? (
      <Ended proof={proof} body={body} refused={refused} sites={watchingSites(visit, proof, body)} />
    ) : (
      <Running proof={proof} mayCancel={isOwn(visit, proof)} />
    ),
  });
}

function isOwn({ account }: Visit, { accountId }: ProofRecord): boolean {
  return account !== null && account.id === accountId;
}

/** @throws PageError 401 for guests, 404 for the proof of somebody else. A proof that is over stays as it is. */
export async function postCancelProof(visit: Visit, token: string | null): Promise<Response> {
  const { account, settings } = visit;
  if (account === null) throw signInFirst();
  await readForm(visit);
  const { cancelProof } = settings.scanning;
  const cancelled = await cancelOwnProof(settings, cancelProof, account, token ?? "");
  if ("refused" in cancelled && cancelled.refused === "unknown") throw proofNotFoundPage();
  // One that waited is gone.
  const isGone = settings.store.proofs.find(token ?? "") === undefined;
  return redirect(visit, isGone ? `${listAddress}?done=cancelled` : `/proofs/${token}`);
}

/** Share of a proof that is over when a step begins, in per cent. */
const stepPercent = { scan: 5, baseline: 20, observe: 45, enforce: 60, attack: 85 } as const satisfies Record<
  (typeof proofSteps)[number],
  number
>;

function stateOfProof({ i18n, settings: { store } }: SharedVisit, { token, status, step }: ProofRecord): FollowedState {
  const position = store.scans.queuePosition(token);
  const percent = step === null ? 0 : stepPercent[step];
  return {
    status,
    stage: step,
    ...{ percent, towards: percent, usualMs: null, sinceMs: 0 },
    position,
    text: position === null ? null : i18n.t("progress.position", { position: i18n.number(position) }),
    absence: null,
  };
}

/** A picture of the first page, for those who may read the proof. */
export const pictureOfProof = (name: ProofPicture) => (visit: Visit, token: string | null) =>
  screenshotOrNotFound(visit, visit.settings.store.proofs.picture(proofOf(visit, token).token, name));

/** JSON state for the script. */
export function proofState(visit: Visit, token: string | null): Response {
  const state = stateOfProof(visit, proofOf(visit, token));
  return respond(visit, 200, JSON.stringify(state), { "content-type": "application/json", "cache-control": "no-store" });
}

interface OfProof {
  readonly proof: ProofRecord;
}

interface RunningProps extends OfProof {
  readonly mayCancel: boolean;
}

function Running({ proof, mayCancel }: RunningProps) {
  const visit = useVisit();
  const { i18n, now } = visit;
  const elapsedMs = Math.max(0, now.getTime() - Date.parse(proof.startedAt ?? proof.createdAt));
  const isQueued = proof.status === "queued";
  return (
    <>
      <FollowedProgress
        polled
        state={stateOfProof(visit, proof)}
        begins="proofs.begins"
        stages={proofSteps.map((name) => ({ name, text: i18n.t(`proofs.steps.${name}`) }))}
      >
        <p>
          <ElapsedTime isQueued={isQueued} elapsedMs={elapsedMs} />
        </p>
      </FollowedProgress>
      <p class="muted">{i18n.t("proofs.visits")}</p>
      {mayCancel && <ActionForm action={`/proofs/${proof.token}/cancel`} submit="proofs.cancel" kind="plain" />}
    </>
  );
}

function isCancelled({ errorCode }: ProofRecord): boolean {
  return errorCode === ("cancelled" satisfies ScanErrorCode);
}

interface ResultProps extends OfProof {
  /** Undefined for a proof that failed. */
  readonly body: ProofBody | undefined;
  readonly refused: RefusedPolicy | null;
}

interface EndedProps extends ResultProps {
  readonly sites: ReturnType<typeof watchingSites>;
}

function Ended({ proof, body, refused, sites }: EndedProps) {
  const { i18n, settings, serverPreference } = useVisit();
  const { texts } = settings;
  const server: ServerName = serverPreference === null || serverPreference === "explain" ? "nginx" : serverPreference;
  return (
    <>
      {body === undefined ? (
        <Notice
          kind={isCancelled(proof) ? "warn" : "poor"}
          title={i18n.t(isCancelled(proof) ? "proofs.cancelled" : "proofs.failed")}
          text={proofErrorMessage(proof.errorCode ?? "unknown", proof.url, i18n.locale, texts)}
        />
      ) : (
        <ProofResult proof={body} server={server} pictures={<Pictures proof={proof} />} />
      )}
      <WatchPolicy proof={proof} sites={sites} />
      <Editor proof={proof} body={body} refused={refused} />
      <PageSection id="limits" title="proofs.limits">
        <p>{i18n.t("proofs.limitsMean")}</p>
        <p class="muted">
          {i18n.t("proofs.from")} <Instant at={proof.endedAt ?? proof.createdAt} relative={false} />
        </p>
      </PageSection>
    </>
  );
}

/** The first page without the headers and with them. Null unless both pictures are there. */
function Pictures({ proof: { token, url } }: OfProof) {
  const { i18n, settings } = useVisit();
  if (proofPictures.some((name) => settings.store.proofs.picture(token, name) === undefined)) return null;
  return (
    <PageSection id="pictures" title="proofs.pictures.title">
      <div class="picture-pair">
        {proofPictures.map((name) => (
          <figure key={name}>
            <img
              class="screenshot"
              src={`/proofs/${token}/${name}`}
              alt={i18n.t(`proofs.pictures.${name}.alt`, { host: hostOf(url) ?? url })}
              loading="lazy"
              decoding="async"
            />
            <figcaption class="muted small">{i18n.t(`proofs.pictures.${name}.caption`)}</figcaption>
          </figure>
        ))}
      </div>
    </PageSection>
  );
}

const editorForm = {
  policy: {
    control: "textarea",
    rows: 8,
    label: "proofs.editor.policy",
    hint: "proofs.editor.hint",
    maxLength: plannedHeaderCharsMax,
  },
} as const satisfies FormDescription;

/** The policy as a text field, and three starting points. Null for visitors who may not scan. */
function Editor({ proof, body, refused }: ResultProps) {
  const visit = useVisit();
  const { i18n, settings } = visit;
  if (!mayScan(visit)) return null;
  const policy = refused?.policy ?? policyIn(body?.headers ?? []) ?? proof.plan.policy ?? "";
  const again = { proof: proof.token };
  const errors = refused === null ? null : new Map([["policy", refused.error]]);
  const starts = [...Object.keys(draftStarts), ...(todaysPolicy(settings.store, proof.url) === null ? [] : ["today"])];
  return (
    <PageSection id="editor" title="proofs.editor.title">
      <ActionForm action="/proofs" hidden={{ ...again, start: "own" }} submit="proofs.editor.again">
        <FormFields form={editorForm} values={{ policy }} errors={errors} />
      </ActionForm>
      <h3>{i18n.t("proofs.editor.starts")}</h3>
      <ul class="cards">
        {starts.map((start) => (
          <li key={start}>
            <p>{i18n.t(`proofs.starts.${start as "strict" | "hosts" | "today"}.cost`)}</p>
            <ActionForm
              action="/proofs"
              kind="plain"
              hidden={{ ...again, start }}
              submit={`proofs.starts.${start as "strict" | "hosts" | "today"}.submit`}
            />
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

const listAddress = "/account/proofs";
const rowsPerPage = 50;

export const getOwnProofs: GetFor<"accounts"> = (visit, account) =>
  accountPage(visit, {
    title: "proofs.own.title",
    lead: visit.i18n.t("proofs.own.lead"),
    outcomes: outcomesOf(listAddress, ["cancelled"], () => "proofs.own.removed"),
    children: <OwnProofs account={account} />,
  });

function OwnProofs({ account }: { readonly account: Account }) {
  const i18n = useI18n();
  const { settings, url } = useVisit();
  const cursor = cursorOf(url.searchParams);
  const { items, nextCursor } = settings.store.proofs.listOfAccount(account.id, { limit: rowsPerPage, cursor });
  if (items.length === 0) return <EmptyState title={i18n.t("proofs.own.none")} text={i18n.t("proofs.own.noneMeans")} />;
  return (
    <>
      <TextTable
        caption="proofs.own.title"
        rows={items}
        columns={{
          "ownScans.columns.url": ({ token, url: address }) => (
            <a href={`/proofs/${token}`}>
              <HostUrl url={address} short />
            </a>
          ),
          "ownScans.columns.status": (proof) => i18n.t(isCancelled(proof) ? "proofs.own.cancelled" : `ownScans.status.${proof.status}`),
          "ownScans.columns.time": ({ createdAt }) => <Instant at={createdAt} />,
        }}
      />
      <Pagination cursor={cursor} next={nextCursor} pathOf={(at) => listPath(listAddress, {}, at)} />
    </>
  );
}
