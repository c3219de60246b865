/** `/plans`: what each plan includes, and whom to ask for another. */
import { planTerms } from "../account/plans.ts";
import { plans } from "../store/accounts.ts";
import { page } from "./answer.tsx";
import { Contact } from "./components/contact.tsx";
import { Mark } from "./components/mark.tsx";
import { PageHead } from "./components/page-head.tsx";
import { type Column, Row, RowGroup, Table } from "./components/table.tsx";
import { useVisit, useWords } from "./context.ts";
import type { Visit } from "./visit.ts";

export function getPlans(visit: Visit): Response {
  const { words, settings } = visit;
  const rate = words.number(settings.reference.requestsPerMinuteMax);
  return page(visit, {
    title: words.say("plans.title"),
    children: (
      <>
        <PageHead title={words.say("plans.title")} lead={words.say("plans.intro")} />
        <Table caption={words.say("plans.caption")} captionUnseen columns={[{ label: words.say("plans.what") }, ...planColumns(visit)]}>
          <RowGroup>
            <Row cells={[words.say("plans.scans"), ...plans.map((plan) => <Included key={plan} yes />)]} />
            <Row cells={[words.say("plans.history"), ...plans.map((plan) => <Included key={plan} yes />)]} />
            <Row cells={[words.say("plans.api"), ...plans.map((plan) => <Included key={plan} yes={planTerms[plan].api} />)]} />
            <Row cells={[words.say("plans.rate"), ...plans.map((plan) => (planTerms[plan].api ? rate : words.say("plans.none")))]} />
          </RowGroup>
        </Table>
        <p>{words.say("plans.tokens")}</p>
        <p>{words.say("plans.public")}</p>
        <section aria-labelledby="change">
          <h2 id="change">{words.say("plans.change")}</h2>
          <p>{words.say("plans.changeBy")}</p>
          <WhomToAsk />
        </section>
      </>
    ),
  });
}

/** One's own plan is marked. */
function planColumns({ words, account }: Visit): readonly Column[] {
  return plans.map((plan) => {
    const name = words.say(`plans.names.${plan}`);
    return { label: account?.plan === plan ? `${name} (${words.say("plans.yours")})` : name };
  });
}

function Included({ yes }: { readonly yes: boolean }) {
  const words = useWords();
  return (
    <span class={yes ? "state good" : "state unknown"}>
      <Mark name={yes ? "tick" : "dash"} />
      <span class="word">{words.say(yes ? "plans.yes" : "plans.no")}</span>
    </span>
  );
}

function WhomToAsk() {
  const { words, account, settings } = useVisit();
  const { plans: contact } = settings.contacts;
  if (account?.admin === true)
    return (
      <p>
        <a href="/admin/users">{words.say("plans.changeIt")}</a>
      </p>
    );
  if (contact === null) return <p>{words.say("plans.noContact")}</p>;
  return (
    <p>
      {words.say("plans.contact")} <Contact address={contact} />
    </p>
  );
}
