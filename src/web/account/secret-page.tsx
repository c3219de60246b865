/** Page that shows a secret once: of a webhook, or the token for the metrics of sites. */
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Channel } from "../../store/channels.ts";
import { CopyField } from "../components/copy-field.tsx";
import { publicOrigin, type Visit } from "../visit.ts";
import { accountPage, channelsPagePath } from "./account-page.tsx";
import { siteMetricsPath } from "./site-metrics.ts";

/** A direct response to the form: it has no URL to link or reload. */
export function webhookSecretPage(visit: Visit, { name, secrets }: Pick<Channel, "name" | "secrets">): Response {
  const { i18n } = visit;
  return accountPage(visit, {
    title: "channels.secret.title",
    children: (
      <>
        <Notice kind="warn">{i18n.t("channels.secret.text")}</Notice>
        <CopyField
          id="secret"
          label={<UntrustedText>{name}</UntrustedText>}
          value={secrets[0] ?? ""}
          copy={i18n.t("channels.secret.copy")}
          copied={i18n.t("channels.secret.copied")}
        />
        <p>{i18n.t("channels.secret.means")}</p>
        {secrets.length > 1 && <p>{i18n.t("channels.secret.rotated")}</p>}
        <Back visit={visit} />
      </>
    ),
  });
}

export function metricsTokenPage(visit: Visit, value: string): Response {
  const { i18n } = visit;
  const url = `${publicOrigin(visit)}${siteMetricsPath}`;
  return accountPage(visit, {
    title: "channels.metrics.made.title",
    children: (
      <>
        <Notice kind="warn">{i18n.t("channels.metrics.made.text")}</Notice>
        <CopyField
          id="token"
          label={i18n.t("channels.metrics.made.label")}
          value={value}
          copy={i18n.t("channels.metrics.made.copy")}
          copied={i18n.t("channels.secret.copied")}
        />
        <p>{i18n.t("channels.metrics.made.try")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>{`curl -H 'Authorization: Bearer ${value}' '${url}'`}</ConfigLines>
        <Back visit={visit} />
      </>
    ),
  });
}

function Back({ visit: { i18n } }: { readonly visit: Visit }) {
  return (
    <p>
      <a href={channelsPagePath}>{i18n.t("channels.secret.back")}</a>
    </p>
  );
}
