/** Page that shows a new API token once, with example commands. */
import { planTerms } from "../../../account/account-operations.ts";
import { Notice } from "../../../report/components/notice.tsx";
import { ConfigLines } from "../../../report/components/remediation.tsx";
import { UntrustedText } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import type { Account } from "../../../store/accounts.ts";
import type { ApiToken } from "../../../store/api-tokens.ts";
import { CopyField } from "../../components/copy-field.tsx";
import { publicOrigin, type Visit } from "../../visit.ts";
import { accountPage } from "../account-frame.tsx";

/** A direct response to the form: it has no URL to link or reload. */
export function newTokenPage(
  visit: Visit,
  account: Account,
  { token, value }: { readonly token: ApiToken; readonly value: string },
): Response {
  const { i18n } = visit;
  const base = publicOrigin(visit);
  return accountPage(visit, {
    title: "tokens.made.title",
    children: (
      <>
        <Notice kind="warn">{i18n.t("tokens.made.text")}</Notice>
        <CopyField
          id="token"
          label={<UntrustedText>{token.name}</UntrustedText>}
          value={value}
          copy={i18n.t("tokens.made.copy")}
          copied={i18n.t("tokens.made.copied")}
        />
        <h2>{i18n.t("tokens.made.tryTitle")}</h2>
        <ApiExcludedNotice account={account} />
        <p>{i18n.t("tokens.made.list")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>{`curl -H 'Authorization: Bearer ${value}' '${base}/api/v1/scans'`}</ConfigLines>
        <p>{i18n.t("tokens.made.start")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>
          {`curl -H 'Authorization: Bearer ${value}' -H 'Content-Type: application/json' -d '{"url":"https://example.com"}' '${base}/api/v1/scans'`}
        </ConfigLines>
        <p>
          {i18n.t("tokens.made.read")} <a href="/api">{i18n.t("tokens.docs")}</a>
        </p>
        <p>
          <a href="/account/tokens">{i18n.t("tokens.made.back")}</a>
        </p>
      </>
    ),
  });
}

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
