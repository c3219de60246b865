/** `/plans`: features of each plan, and the contact for another. */
import { planTerms } from "../accounts/account-operations.ts";
import { MarkedText } from "../report/components/labels.tsx";
import { type Column, Row, RowGroup, Table } from "../report/components/layout.tsx";
import { useI18n } from "../report/context.ts";
import { type Plan, plans } from "../store/accounts.ts";
import { lanes } from "../store/queue.ts";
import { Contact } from "./components/contact.tsx";
import { PageSection } from "./components/sections.tsx";
import { useVisit } from "./context.ts";
import { page } from "./page.tsx";
import type { Visit } from "./visit.ts";

export function getPlans(visit: Visit): Response {
  const { i18n, settings } = visit;
  const rate = i18n.number(settings.config["api.rate_per_minute"]);
  return page(visit, {
    title: i18n.t("plans.title"),
    head: { lead: i18n.t("plans.intro") },
    children: (
      <>
        <Table caption={i18n.t("plans.caption")} captionUnseen columns={[{ label: i18n.t("plans.what") }, ...planColumns(visit)]}>
          <RowGroup>
            <Row cells={[i18n.t("plans.scans"), ...plans.map((plan) => <Included key={plan} yes />)]} />
            <Row cells={[i18n.t("plans.history"), ...plans.map((plan) => <Included key={plan} yes />)]} />
            <Row cells={[i18n.t("plans.sites"), ...plans.map((plan) => i18n.number(planTerms[plan].sites))]} />
            <Row cells={[i18n.t("plans.proofPages"), ...plans.map((plan) => i18n.number(planTerms[plan].proofPages))]} />
            <Row cells={[i18n.t("plans.brand"), ...plans.map((plan) => <Included key={plan} yes={planTerms[plan].brand} />)]} />
            <Row cells={[i18n.t("plans.api"), ...plans.map((plan) => <Included key={plan} yes={planTerms[plan].api} />)]} />
            <Row cells={[i18n.t("plans.rate"), ...plans.map((plan) => (planTerms[plan].api ? rate : i18n.t("plans.none")))]} />
            <Row cells={[i18n.t("plans.turns"), ...plans.map((plan) => turnsOf(visit, plan))]} />
          </RowGroup>
        </Table>
        <p>{i18n.t("plans.tokens")}</p>
        <p>{i18n.t(`visibility.${settings.config.readers}.rule`)}</p>
        <PageSection id="change" title="plans.change">
          <p>{i18n.t("plans.changeBy")}</p>
          <PlanContact />
        </PageSection>
      </>
    ),
  });
}

/** Marks the plan of the account. */
function planColumns({ i18n, account }: Visit): readonly Column[] {
  return plans.map((plan) => {
    const name = i18n.t(`plans.names.${plan}`);
    return { label: account?.plan === plan ? `${name} (${i18n.t("plans.yours")})` : name };
  });
}

/** Turns of the plan's lane in each round of the queue. */
function turnsOf({ i18n }: Visit, plan: Plan): string {
  const all = plans.reduce((sum, each) => sum + lanes[each].weight, 0);
  return i18n.t("plans.turnsOf", { turns: i18n.number(lanes[plan].weight), all: i18n.number(all) });
}

function Included({ yes }: { readonly yes: boolean }) {
  const i18n = useI18n();
  return <MarkedText as={yes ? "passed" : "notApplicable"} text={i18n.t(yes ? "plans.yes" : "plans.no")} />;
}

function PlanContact() {
  const { i18n, account, settings } = useVisit();
  const { "plans.contact": contact } = settings.config;
  if (account?.admin === true)
    return (
      <p>
        <a href="/admin/users">{i18n.t("plans.changeIt")}</a>
      </p>
    );
  if (contact === null) return <p>{i18n.t("plans.noContact")}</p>;
  return (
    <p>
      {i18n.t("plans.contact")} <Contact address={contact} />
    </p>
  );
}
