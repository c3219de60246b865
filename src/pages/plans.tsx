/** `/plans`: what each plan includes, and whom to ask for another. */
import type { ComponentChildren } from "preact";
import { planTerms } from "../account/plans.ts";
import { type Plan, plans } from "../store/accounts.ts";
import { page } from "./answer.tsx";
import { useVisit, useWords } from "./context.ts";
import { pageGroup, type Visit } from "./visit.ts";

export function plansRoutes() {
  return pageGroup("plans").get("/plans", ({ visit }) => plansPage(visit));
}

function plansPage(visit: Visit): Response {
  const { words, account, settings } = visit;
  const rate = words.number(settings.operator.apiRequestsPerMinute);
  return page(visit, {
    title: words.say("plans.title"),
    children: (
      <>
        <h1>{words.say("plans.title")}</h1>
        <p>{words.say("plans.intro")}</p>
        <table class="plans">
          <caption>{words.say("plans.caption")}</caption>
          <thead>
            <tr>
              <th scope="col">{words.say("plans.what")}</th>
              {plans.map((plan) => (
                <th scope="col" key={plan}>
                  {words.say(`plans.names.${plan}`)} {account?.plan === plan && <span class="muted">({words.say("plans.yours")})</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <TermRow name={words.say("plans.scans")} cell={() => <Included yes />} />
            <TermRow name={words.say("plans.history")} cell={() => <Included yes />} />
            <TermRow name={words.say("plans.api")} cell={(plan) => <Included yes={planTerms[plan].api} />} />
            <TermRow name={words.say("plans.rate")} cell={(plan) => (planTerms[plan].api ? rate : words.say("plans.none"))} />
          </tbody>
        </table>
        <p>{words.say("plans.tokens")}</p>
        <p>{words.say("plans.public")}</p>
        <h2>{words.say("plans.change")}</h2>
        <p>{words.say("plans.changeBy")}</p>
        <Contact />
      </>
    ),
  });
}

function TermRow({ name, cell }: { readonly name: string; readonly cell: (plan: Plan) => ComponentChildren }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {plans.map((plan) => (
        <td key={plan}>{cell(plan)}</td>
      ))}
    </tr>
  );
}

function Included({ yes }: { readonly yes: boolean }) {
  const words = useWords();
  return <span class={yes ? "good" : "unknown"}>{words.say(yes ? "plans.yes" : "plans.no")}</span>;
}

function Contact() {
  const { words, settings } = useVisit();
  const { plans: contact } = settings.contacts;
  if (contact === null) return <p>{words.say("plans.noContact")}</p>;
  return (
    <p>
      {words.say("plans.contact")}{" "}
      <a href={contact} rel="nofollow noopener noreferrer">
        {contact.replace(/^mailto:/, "")}
      </a>
    </p>
  );
}
