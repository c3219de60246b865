/** Said wherever tokens are made or tried: that the account's plan lets none of them in yet. */
import { planTerms } from "../../../account/plans.ts";
import type { Account } from "../../../store/accounts.ts";
import { Notice } from "../../components/notice.tsx";
import { useWords } from "../../context.ts";

/** Nothing on a plan that includes the API. */
export function NoApiNotice({ account: { plan } }: { readonly account: Account }) {
  const words = useWords();
  if (planTerms[plan].api) return null;
  return (
    <Notice kind="warn">
      {words.say("tokens.noApi", { plan: words.say(`plans.names.${plan}`), needed: words.say("plans.names.agency") })}{" "}
      <a href="/plans">{words.say("tokens.plans")}</a>
    </Notice>
  );
}
