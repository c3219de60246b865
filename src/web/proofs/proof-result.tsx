/** What a proof shows: the verdict, the headers to copy, and for each page what breaks, what differs, what an attack can do, and the score. */

import type { ComponentChildren } from "preact";
import { removeHeader, replaceHeader } from "../../check/fix.ts";
import type { Fact } from "../../evidence/fields.ts";
import type { ProofBody, proofSchema } from "../../evidence/proof.ts";
import { hasRunning } from "../../prove/canaries.ts";
import { canaryName, changeSentences, refusedSentence, type Say, unneededSentence, verdictSentence } from "../../prove/sentences.ts";
import { StateLabel } from "../../report/components/labels.tsx";
import { Details, FactRow } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { CheckLink, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument, useI18n } from "../../report/context.ts";
import { textsOfCheck } from "../../text/render.ts";
import { linesFor, type ServerName, serverLabel } from "../../text/servers/server-lines.ts";
import { PageSection, TextTable } from "../components/sections.tsx";

type PageOfProof = Fact<typeof proofSchema>["pages"][number];

/** Entries of each list on the page; the answer of the API has all. */
const listedMax = 100;
const textCharsMax = 300;

/** Sentences that command line and pages share. */
function useSay(): Say {
  const { i18n, texts } = useDocument();
  return (path, values) => texts.translate(i18n.locale, ["proof", ...path.split("/")], values) ?? path;
}

interface OfProof {
  readonly proof: ProofBody;
}

interface ResultProps extends OfProof {
  readonly server: ServerName;
  /** Pictures of the first page, after what differs on it. */
  readonly pictures: ComponentChildren;
}

export function ProofResult({ proof, server, pictures }: ResultProps) {
  const isOne = proof.pages.length === 1;
  return (
    <>
      {proof.pages.map((page, at) => (
        <section key={page.url} aria-label={page.url}>
          {!isOne && (
            <h2>
              <UntrustedText charsMax={textCharsMax}>{page.url}</UntrustedText>
            </h2>
          )}
          <Verdict page={page} />
          <Score page={page} />
          {at === 0 && <Headers proof={proof} server={server} />}
          <Blocked page={page} at={at} />
          <Changes page={page} at={at} />
          {at === 0 && pictures}
          <Attack page={page} at={at} />
          <Ledger page={page} at={at} />
        </section>
      ))}
      <Refused proof={proof} />
      <Unvisited proof={proof} />
    </>
  );
}

interface OfPage {
  readonly page: PageOfProof;
}

interface PartProps extends OfPage {
  /** Place of the page in the proof, from 0. */
  readonly at: number;
}

function idAt(id: string, at: number): string {
  return at === 0 ? id : `${id}-${at + 1}`;
}

function Verdict({ page }: OfPage) {
  const say = useSay();
  const { verdict, canaries, serviceWorker } = page;
  const kind = verdict === "works" && !hasRunning(canaries) ? "good" : verdict === "blocks" ? "poor" : "warn";
  return (
    <Notice kind={kind} title={verdictSentence(page, say)}>
      {serviceWorker && <p>{say("serviceWorker")}</p>}
    </Notice>
  );
}

function Score({ page: { score } }: OfPage) {
  const i18n = useI18n();
  if (score.after === null) return <p class="muted">{i18n.t("proofs.noScore")}</p>;
  return (
    <dl class="facts">
      <FactRow name={i18n.t("proofs.scoreNow")}>
        <SmallScore score={score.before} />
      </FactRow>
      <FactRow name={i18n.t("proofs.scoreThen")}>
        <SmallScore score={score.after} />
      </FactRow>
    </dl>
  );
}

/** Lines for the chosen server, if it can express them, and the plain fields. */
function Headers({ proof, server }: OfProof & { readonly server: ServerName }) {
  const i18n = useI18n();
  const say = useSay();
  const { headers, costs, rung, verdict } = proof;
  if (headers.length === 0) return null;
  const fixes = headers.map(({ name, value }) => (value === null ? removeHeader(name) : replaceHeader(name, value)));
  const lines = linesFor(server, fixes, {});
  const sent = headers.flatMap(({ name, value }) => (value === null ? [] : [`${name}: ${value}`]));
  const removed = headers.flatMap(({ name, value }) => (value === null ? [name] : []));
  return (
    <PageSection id="headers" title={verdict === "works" ? "proofs.headers" : "proofs.triedHeaders"}>
      {rung !== null && <p>{i18n.t("proofs.drafted", { rung: say(`rungs/${rung}`) })}</p>}
      {lines !== null && <ConfigLines label={serverLabel(server)}>{lines}</ConfigLines>}
      {sent.length > 0 && <ConfigLines label="HTTP">{sent.join("\n")}</ConfigLines>}
      {removed.length > 0 && <p>{i18n.t("proofs.removed", { names: removed.join(", ") })}</p>}
      {costs.length > 0 && (
        <ul>
          {costs.map((cost) => (
            <li key={cost}>{say(`costs/${cost}`)}</li>
          ))}
        </ul>
      )}
      <Unneeded proof={proof} />
    </PageSection>
  );
}

function Unneeded({ proof: { unneeded = [] } }: OfProof) {
  const say = useSay();
  if (unneeded.length === 0) return null;
  return (
    <Details summary={say("unneededHead")}>
      <p>{say("unneededMeans")}</p>
      <ul>
        {unneeded.map((one) => (
          <li key={`${one.directive} ${one.source}`}>
            <UntrustedText charsMax={textCharsMax}>{unneededSentence(one, say)}</UntrustedText>
          </li>
        ))}
      </ul>
    </Details>
  );
}

function Blocked({ page: { blocked }, at }: PartProps) {
  const i18n = useI18n();
  const say = useSay();
  if (blocked.length === 0) return null;
  return (
    <PageSection id={idAt("blocked", at)} title="proofs.blocked">
      <TextTable
        caption="proofs.blocked"
        rows={blocked.slice(0, listedMax)}
        columns={{
          "proofs.columns.directive": ({ directive }) => <code>{directive}</code>,
          "proofs.columns.what": ({ url, kind }) => <UntrustedText charsMax={textCharsMax}>{url || say(`kinds/${kind}`)}</UntrustedText>,
          "proofs.columns.place": ({ file, line }) =>
            file === null ? null : <UntrustedText charsMax={textCharsMax}>{line === null ? file : `${file}:${line}`}</UntrustedText>,
          "proofs.columns.allow": ({ allow: { way, ...words } }) => (
            <UntrustedText charsMax={textCharsMax}>{say(`allow/${way}`, words)}</UntrustedText>
          ),
        }}
      />
      <More total={blocked.length} />
      <p>{i18n.t("proofs.blockedMeans")}</p>
    </PageSection>
  );
}

function Changes({ page, at }: PartProps) {
  const say = useSay();
  const { noise } = page;
  const items = changeSentences(page, say);
  if (items.length === 0 && noise === 0) return null;
  return (
    <PageSection id={idAt("changes", at)} title="proofs.changes">
      {items.length > 0 && (
        <ul>
          {items.slice(0, listedMax).map((item, nth) => (
            <li key={String(nth)}>
              <UntrustedText charsMax={textCharsMax}>{item}</UntrustedText>
            </li>
          ))}
        </ul>
      )}
      <More total={items.length} />
      {noise > 0 && <p class="muted">{say("noise", { count: noise })}</p>}
    </PageSection>
  );
}

function More({ total }: { readonly total: number }) {
  const say = useSay();
  return total > listedMax ? <p class="muted">{say("more", { count: total - listedMax })}</p> : null;
}

function Attack({ page: { canaries }, at }: PartProps) {
  const say = useSay();
  if (canaries.length === 0) return null;
  return (
    <PageSection id={idAt("attack", at)} title="proofs.attack">
      <TextTable
        caption="proofs.attack"
        rows={canaries}
        columns={{
          "proofs.columns.code": (canary) => canaryName(canary, say),
          "proofs.columns.outcome": ({ name, outcome }) =>
            hasRunning([{ name, outcome }]) ? <strong>{say(`canaryOutcomes/${outcome}`)}</strong> : say(`canaryOutcomes/${outcome}`),
        }}
      />
    </PageSection>
  );
}

/** Rows that the headers change. */
function Ledger({ page: { score }, at }: PartProps) {
  const { i18n, texts } = useDocument();
  const say = useSay();
  if (score.rows.length === 0) return null;
  const unread = score.rows.some(({ because }) => because === "header-truncated");
  return (
    <PageSection id={idAt("ledger", at)} title="proofs.ledger">
      <TextTable
        caption="proofs.ledger"
        rows={score.rows}
        columns={{
          "compare.check": ({ key }) => <CheckLink checkKey={key}>{textsOfCheck(key, i18n.locale, texts).label}</CheckLink>,
          "compare.before": ({ before }) => <StateLabel state={before} />,
          "compare.after": ({ after }) => <StateLabel state={after} />,
        }}
      />
      {unread && <p>{say("unreadRows")}</p>}
      <p class="muted">{i18n.t("proofs.ledgerMeans")}</p>
    </PageSection>
  );
}

function Refused({ proof: { refused } }: OfProof) {
  const i18n = useI18n();
  const say = useSay();
  if (refused.length === 0) return null;
  return (
    <Details summary={i18n.t("proofs.refused")}>
      <ul>
        {refused.map((one) => (
          <li key={one.rung}>{refusedSentence(one, say)}</li>
        ))}
      </ul>
    </Details>
  );
}

function Unvisited({ proof: { unvisited } }: OfProof) {
  const i18n = useI18n();
  if (unvisited.length === 0) return null;
  return (
    <Notice kind="warn" title={i18n.t("proofs.unvisited")}>
      <ul>
        {unvisited.map(({ url }) => (
          <li key={url}>
            <UntrustedText charsMax={textCharsMax}>{url}</UntrustedText>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
