/** Notice that the account's plan excludes the API. */
import { planTerms } from "../../../account/plans.ts";
import type { Account } from "../../../store/accounts.ts";
import { Notice } from "../../components/notice.tsx";
import { useI18n } from "../../context.ts";

/** Null if the plan includes the API. */
export function ApiExcludedNotice({ account: { plan } }: { readonly account: Account }) {
  const i18n = useI18n();
  if (planTerms[plan].api) return null;
  return (
    <Notice kind="warn">
      {i18n.t("tokens.noApi", { plan: i18n.t(`plans.names.${plan}`), needed: i18n.t("plans.names.agency") })}{" "}
      <a href="/plans">{i18n.t("tokens.plans")}</a>
    </Notice>
  );
}
