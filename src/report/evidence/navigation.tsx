/** Redirect chain of the browser, HSTS preload state, and the answers over plain http. */
import type { Evidence } from "../../evidence/evidence.ts";
import type { HttpAnswer, PlainHttpFacts } from "../../evidence/http-facts.ts";
import type { HstsPreloadFacts } from "../../evidence/page-facts.ts";
import type { I18n } from "../../text/translator.ts";
import { DataTable } from "../components/table.tsx";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { Entry, ReadingContent, UntrustedLine } from "./evidence-blocks.tsx";

export function NavigationEvidence({ evidence: { navigation, hstsPreload } }: { readonly evidence: Evidence }) {
  const i18n = useI18n();
  return (
    <>
      <ReadingContent reading={navigation}>
        {({ hops, finalUrl, finalStatus, remoteAddress, security }) => (
          <>
            <Answers
              caption={i18n.t("evidence.parts.navigation")}
              answers={[...hops, { url: finalUrl, status: finalStatus, headers: [], internal: false }]}
            />
            <dl>
              {remoteAddress !== null && (
                <Entry name={i18n.t("evidence.navigation.address")}>
                  <UntrustedText>{remoteAddress}</UntrustedText>
                </Entry>
              )}
              {security !== null && (
                <Entry name={i18n.t("evidence.navigation.agreed")}>
                  <UntrustedText>
                    {[security.protocol, security.keyExchange, security.cipher].filter((part) => part !== "").join(", ")}
                  </UntrustedText>
                </Entry>
              )}
              {security !== null && (
                <Entry name="Certificate Transparency">
                  {i18n.t(`evidence.navigation.transparency.${security.certificateTransparency}`)}
                </Entry>
              )}
            </dl>
          </>
        )}
      </ReadingContent>
      <h4>{i18n.t("evidence.readings.hstsPreload")}</h4>
      <ReadingContent reading={hstsPreload}>{(facts) => <Preload facts={facts} />}</ReadingContent>
    </>
  );
}

function Preload({ facts }: { readonly facts: HstsPreloadFacts }) {
  const i18n = useI18n();
  return <p>{preloadSentences(facts, i18n).join(" ")}</p>;
}

function preloadSentences(facts: HstsPreloadFacts, i18n: I18n): readonly string[] {
  const { hostPreloaded, registrableDomainPreloaded, subdomainsPreloaded, decidedBy, listDate, sourcesDiffer } = facts;
  const state = hostPreloaded ? "preloaded" : registrableDomainPreloaded ? "domainPreloaded" : "notPreloaded";
  const sentences = [i18n.t(`evidence.navigation.${state}`)];
  if (subdomainsPreloaded !== undefined)
    sentences.push(i18n.t(`evidence.navigation.${subdomainsPreloaded ? "subdomainsPreloaded" : "subdomainsNotPreloaded"}`));
  if (listDate === undefined) return sentences;
  const date = Number.isNaN(Date.parse(listDate)) ? "-" : i18n.date(listDate);
  sentences.push(i18n.t(`evidence.navigation.${decidedBy === "browser" ? "preloadByBrowser" : "preloadByList"}`, { date }));
  if (sourcesDiffer === true) sentences.push(i18n.t("evidence.navigation.preloadSourcesDiffer", { date }));
  return sentences;
}

export function PlainHttpEvidence({ evidence: { plainHttp } }: { readonly evidence: Evidence }) {
  return <ReadingContent reading={plainHttp}>{(facts) => <PlainHttp facts={facts} />}</ReadingContent>;
}

function PlainHttp({ facts: { outcome, answers, stoppedBecause } }: { readonly facts: PlainHttpFacts }) {
  const i18n = useI18n();
  return (
    <>
      <p>{i18n.t(`evidence.plainHttp.${outcome}`)}</p>
      {answers.length > 0 && <Answers caption={i18n.t("evidence.parts.plainHttp")} answers={answers} />}
      {stoppedBecause !== null && <p>{i18n.t(`evidence.plainHttp.stopped.${stoppedBecause}`)}</p>}
    </>
  );
}

type AnswerShown = Pick<HttpAnswer, "url" | "status" | "headers"> & { readonly internal?: boolean };

/** Responses in order, each with its redirect target. */
function Answers({ caption, answers }: { readonly caption: string; readonly answers: readonly AnswerShown[] }) {
  const i18n = useI18n();
  return (
    <DataTable
      caption={caption}
      captionUnseen
      rows={answers}
      columns={[
        { label: i18n.t("evidence.navigation.url"), cell: ({ url }) => <UntrustedLine>{url}</UntrustedLine> },
        { label: i18n.t("evidence.navigation.status"), numeric: true, cell: ({ status }) => String(status) },
        {
          label: i18n.t("evidence.navigation.leadsTo"),
          cell: ({ headers, internal = false }) => {
            if (internal) return i18n.t("evidence.navigation.internal");
            const location = headers.find(({ name }) => name.toLowerCase() === "location")?.value;
            return location === undefined ? null : <UntrustedLine>{location}</UntrustedLine>;
          },
        },
      ]}
    />
  );
}
