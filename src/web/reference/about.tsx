/** `/about`: what the appliance looks at, what it leaves out on purpose, and how to tell its visits. */
import { Fragment } from "preact";
import { page } from "../answer.tsx";
import { Contact } from "../components/contact.tsx";
import { Lines } from "../components/lines.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import type { Visit } from "../visit.ts";
import { Coded } from "./coded.tsx";

/** As the embedded browser names itself; its version changes with releases. */
const browserUserAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/... Safari/537.36";

const leftOut = ["grade", "probing", "redirects", "stapling", "evidence", "guessing", "hiding", "legal"] as const;
const requests = ["page", "again", "plain", "files", "tls", "dns"] as const;

export function getAbout(visit: Visit): Response {
  const { words, settings } = visit;
  const title = words.say("about.title");
  return page(visit, {
    title,
    children: (
      <>
        <PageHead title={title} lead={words.say("about.lead")} />
        <section>
          <h2>{words.say("about.checked.title")}</h2>
          <p>{words.count("about.checked.what", settings.catalog.checks.length)}</p>
          <p>
            <a href="/checks">{words.say("about.checked.link")}</a>
          </p>
        </section>
        <section>
          <h2>{words.say("about.leftOut.title")}</h2>
          <p>{words.say("about.leftOut.lead")}</p>
          <dl>
            {leftOut.map((name) => (
              <Fragment key={name}>
                <dt>{words.say(`about.leftOut.${name}.what`)}</dt>
                <dd>
                  <Coded text={words.say(`about.leftOut.${name}.why`)} />
                </dd>
              </Fragment>
            ))}
          </dl>
        </section>
        <Visits />
      </>
    ),
  });
}

/** For those who found the scanner in their logs. */
function Visits() {
  const { words, settings } = useVisit();
  const { security } = settings.contacts;
  return (
    <section>
      <h2 id="visits">{words.say("about.visits.title")}</h2>
      <p>
        {words.say("about.visits.why")} <a href="/scans">{words.say("about.visits.list")}</a>
      </p>
      <p>{words.say("about.visits.requests")}</p>
      <ul>
        {requests.map((name) => (
          <li key={name}>
            <Coded text={words.say(`about.visits.${name}`)} />
          </li>
        ))}
      </ul>
      <p>{words.say("about.visits.never")}</p>
      <p>{words.say("about.visits.names")}</p>
      <Lines label={words.say("about.visits.browser")}>{browserUserAgent}</Lines>
      <Lines label={words.say("about.visits.client")}>{settings.reference.userAgent}</Lines>
      <p>
        {words.say("about.visits.contact")}
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
