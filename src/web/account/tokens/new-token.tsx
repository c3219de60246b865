/** A new API token, shown this once, with commands that use it at once. */
import type { Account } from "../../../store/accounts.ts";
import type { ApiToken } from "../../../store/api-tokens.ts";
import { CopyField } from "../../components/copy-field.tsx";
import { Foreign } from "../../components/foreign.tsx";
import { Lines } from "../../components/lines.tsx";
import { Notice } from "../../components/notice.tsx";
import { publicOrigin, type Visit } from "../../visit.ts";
import { accountPage } from "../account-frame.tsx";
import { NoApiNotice } from "./no-api-notice.tsx";

/** The answer to the form that made it: it can be neither linked to nor read again. */
export function newTokenPage(
  visit: Visit,
  account: Account,
  { token, value }: { readonly token: ApiToken; readonly value: string },
): Response {
  const { words } = visit;
  const base = publicOrigin(visit);
  return accountPage(visit, {
    title: "tokens.made.title",
    children: (
      <>
        <Notice kind="warn">{words.say("tokens.made.text")}</Notice>
        <CopyField
          id="token"
          label={<Foreign>{token.name}</Foreign>}
          value={value}
          copy={words.say("tokens.made.copy")}
          copied={words.say("tokens.made.copied")}
        />
        <h2>{words.say("tokens.made.tryTitle")}</h2>
        <NoApiNotice account={account} />
        <p>{words.say("tokens.made.list")}</p>
        <Lines label={words.say("tokens.made.curl")}>{`curl -H 'Authorization: Bearer ${value}' '${base}/api/v1/scans'`}</Lines>
        <p>{words.say("tokens.made.start")}</p>
        <Lines label={words.say("tokens.made.curl")}>
          {`curl -H 'Authorization: Bearer ${value}' -H 'Content-Type: application/json' -d '{"url":"https://example.com"}' '${base}/api/v1/scans'`}
        </Lines>
        <p>
          {words.say("tokens.made.read")} <a href="/api">{words.say("tokens.docs")}</a>
        </p>
        <p>
          <a href="/account/tokens">{words.say("tokens.made.back")}</a>
        </p>
      </>
    ),
  });
}
