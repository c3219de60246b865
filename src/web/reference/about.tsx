/** `/about`: what the scanner tests, what it omits by design, and how to recognize its requests. */
import { FactRow, Section } from "../../report/components/layout.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { Contact } from "../components/contact.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { TextWithCode } from "./coded.tsx";

/** User-Agent of the embedded browser; its version changes with releases. */
const browserUserAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/... Safari/537.36";

const omitted = [
  "grade",
  "probing",
  "redirects",
  "stapling",
  "revocation",
  "starttls",
  "rpki",
  "evidence",
  "guessing",
  "hiding",
  "legal",
] as const;
const requests = ["page", "again", "plain", "files", "tls", "dns"] as const;

export function getAbout(visit: Visit): Response {
  const { i18n, settings } = visit;
  return page(visit, {
    title: i18n.t("about.title"),
    head: { lead: i18n.t("about.lead") },
    children: (
      <>
        <Section title={i18n.t("about.checked.title")}>
          <p>{i18n.count("about.checked.what", settings.catalog.checks.length)}</p>
          <p>
            <TextWithCode text={i18n.t("about.checked.headers", { charsMax: i18n.number(settings.config["scan.header_chars_max"]) })} />
          </p>
          <p>
            <a href="/checks">{i18n.t("about.checked.link")}</a>
          </p>
        </Section>
        <Section title={i18n.t("about.leftOut.title")}>
          <p>{i18n.t("about.leftOut.lead")}</p>
          <dl>
            {omitted.map((name) => (
              <FactRow key={name} name={i18n.t(`about.leftOut.${name}.what`)}>
                <TextWithCode text={i18n.t(`about.leftOut.${name}.why`)} />
              </FactRow>
            ))}
          </dl>
        </Section>
        <Visits />
      </>
    ),
  });
}

/** For operators who find the scanner in their logs. */
function Visits() {
  const { i18n, settings } = useVisit();
  const { "security.contact": security } = settings.config;
  return (
    <section>
      <h2 id="visits">{i18n.t("about.visits.title")}</h2>
      <p>
        {i18n.t("about.visits.why")} <a href="/scans">{i18n.t("about.visits.list")}</a>
      </p>
      <p>{i18n.t("about.visits.requests")}</p>
      <ul>
        {requests.map((name) => (
          <li key={name}>
            <TextWithCode text={i18n.t(`about.visits.${name}`)} />
          </li>
        ))}
      </ul>
      <p>{i18n.t("about.visits.never")}</p>
      <p>{i18n.t("about.visits.names")}</p>
      <ConfigLines label={i18n.t("about.visits.browser")}>{browserUserAgent}</ConfigLines>
      <ConfigLines label={i18n.t("about.visits.client")}>{settings.reference.userAgent}</ConfigLines>
      <p>
        {i18n.t("about.visits.contact")}
        {security !== null && (
          <>
            {" "}
            <Contact address={security} />
          </>
        )}
      </p>
    </section>
  );
}
