/** `/account/second-factor`: enrols an authenticator, renews recovery codes, turns the second factor off. */
import { encode } from "uqr";
import { formatRecoveryCode, totpUri } from "../../accounts/sign-in.ts";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import { isTotpActive } from "../../store/credentials.ts";
import { ActionForm, LinkButton } from "../components/forms.tsx";
import { outcomesOf } from "../components/outcome.tsx";
import { PageSection } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import type { GetFor, PostFor } from "../guards.ts";
import { accountPage } from "../private-page.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import {
  answerTo,
  codeField,
  currentPassword,
  type FormError,
  OperationForm,
  type RejectedForm,
  reauthenticationError,
  UnencryptedNotice,
  wrongCodeError,
} from "./credentials.tsx";
import { callerOf, startSession } from "./session.ts";

const path = "/account/second-factor";
const outcomes = outcomesOf(path, ["recovery-code"], () => "secondFactor.byRecoveryCode");

const confirmForm = { code: codeField, password: { ...currentPassword, id: "confirm-password" } };
const codesForm = { password: { ...currentPassword, id: "codes-password" } };
const offForm = { password: { ...currentPassword, id: "off-password" } };

export const getSecondFactor: GetFor<"accounts"> = (visit, account) => secondFactorPage(visit, account);

export const postSecondFactor: PostFor<"accounts"> = async (visit, account, fields) => {
  const { accounts, log } = visit.settings;
  const proof = { account, password: fields.text("password"), caller: callerOf(visit) };
  const reject = (operation: string, formError: FormError) => secondFactorPage(visit, account, { operation, formError });
  switch (fields.text("do")) {
    case "offer":
      await accounts.actions.offerTotp(account);
      return redirect(visit, path);
    case "confirm": {
      const outcome = await accounts.actions.confirmTotp(proof, fields.text("code"));
      if (outcome.status === "not-offered") return redirect(visit, path);
      if (outcome.status === "wrong-code") return reject("confirm", wrongCodeError(visit));
      if (outcome.status !== "changed") return reject("confirm", reauthenticationError(visit, outcome));
      log.info("second factor turned on", { account: account.id });
      return recoveryCodesPage(await startSession(visit, account, outcome.opened), outcome.recoveryCodes);
    }
    case "codes": {
      const outcome = await accounts.actions.renewRecoveryCodes(proof);
      if (outcome.status === "not-offered") return redirect(visit, path);
      if (outcome.status !== "changed") return reject("codes", reauthenticationError(visit, outcome));
      log.info("recovery codes renewed", { account: account.id });
      return recoveryCodesPage(await startSession(visit, account, outcome.opened), outcome.recoveryCodes);
    }
    case "off": {
      const outcome = await accounts.actions.removeTotp(proof);
      if (outcome.status !== "changed") return reject("off", reauthenticationError(visit, outcome));
      log.info("second factor turned off", { account: account.id });
      return redirect(await startSession(visit, account, outcome.opened), "/account?done=second-factor-off");
    }
    default:
      throw formMalformed();
  }
};

function secondFactorPage(visit: Visit, account: Account, rejected: RejectedForm | null = null): Response {
  const { totp, recoveryCodeHashes } = visit.settings.store.credentials.get(account.id);
  return accountPage(visit, {
    title: "secondFactor.title",
    ...answerTo(rejected?.formError ?? null),
    outcomes,
    children: isTotpActive(totp) ? (
      <EnrolledFactor since={totp.confirmedAt} codesLeft={recoveryCodeHashes.length} rejected={rejected} />
    ) : (
      <>
        <p>{visit.i18n.t("secondFactor.off.text")}</p>
        <Enrolment account={account} rejected={rejected} />
      </>
    ),
  });
}

interface EnrolmentProps {
  readonly account: Account;
  readonly rejected: RejectedForm | null;
}

/** A factor that is turned on and off by the password is of no use without one. */
function Enrolment({ account, rejected }: EnrolmentProps) {
  const { i18n, settings } = useVisit();
  if (settings.store.credentials.get(account.id).passwordHash === null) return <p>{i18n.t("account.noPassword")}</p>;
  const secret = settings.accounts.actions.offeredTotp(account);
  if (secret !== null) return <OfferedSecret account={account} secret={secret} rejected={rejected} />;
  return <ActionForm action={path} hidden={{ do: "offer" }} submit="secondFactor.off.begin" />;
}

function OfferedSecret({ account, secret, rejected }: EnrolmentProps & { readonly secret: string }) {
  const { i18n, server } = useVisit();
  // A colon separates issuer and account in the `otpauth:` label.
  const issuer = `assay ${URL.parse(server.origin)?.hostname.replaceAll(":", ".") ?? ""}`.trim();
  return (
    <PageSection id="offer" title="secondFactor.offer.title">
      <UnencryptedNotice />
      <p>{i18n.t("secondFactor.offer.scan")}</p>
      <p>
        <QrCode text={totpUri(secret, { issuer, email: account.email })} label={i18n.t("secondFactor.offer.qr")} />
      </p>
      <p>{i18n.t("secondFactor.offer.type")}</p>
      <p class="with-button">
        <code id="secret" {...untranslated}>
          {(secret.match(/.{1,4}/g) ?? []).join(" ")}
        </code>
        <button type="button" data-copy="#secret" data-copied={i18n.t("secondFactor.offer.copied")} class="compact" hidden>
          {i18n.t("secondFactor.offer.copy")}
        </button>
      </p>
      <p>{i18n.t("secondFactor.offer.confirm")}</p>
      <OperationForm operation="confirm" fields={confirmForm} rejected={rejected} submit="secondFactor.offer.submit" />
      <ActionForm action={path} hidden={{ do: "offer" }} kind="plain" submit="secondFactor.offer.again" />
    </PageSection>
  );
}

interface EnrolledFactorProps {
  readonly since: string;
  readonly codesLeft: number;
  readonly rejected: RejectedForm | null;
}

function EnrolledFactor({ since, codesLeft, rejected }: EnrolledFactorProps) {
  const i18n = useI18n();
  return (
    <>
      <p>{i18n.t("secondFactor.on.text", { day: i18n.date(since) })}</p>
      <p>{i18n.count("secondFactor.on.left", codesLeft)}</p>
      <PageSection id="codes" title="secondFactor.on.codesTitle">
        <p>{i18n.t("secondFactor.on.codesText")}</p>
        <OperationForm operation="codes" fields={codesForm} rejected={rejected} submit="secondFactor.on.codesSubmit" />
      </PageSection>
      <PageSection id="off" title="secondFactor.on.offTitle">
        <p>{i18n.t("secondFactor.on.offText")}</p>
        <OperationForm operation="off" fields={offForm} rejected={rejected} submit="secondFactor.on.offSubmit" kind="danger" />
      </PageSection>
    </>
  );
}

/** Shows recovery codes once, with ways to save them. A direct response to the form: it has no URL to link or reload. */
function recoveryCodesPage(visit: Visit, codes: readonly string[]): Response {
  const { i18n, server } = visit;
  return accountPage(visit, {
    title: "secondFactor.codes.title",
    children: (
      <>
        <p>{i18n.t("secondFactor.codes.intro")}</p>
        <p class="print-only">{server.origin}</p>
        <pre id="recovery-codes" {...untranslated}>
          {codes.map(formatRecoveryCode).join("\n")}
        </pre>
        <div class="actions">
          <button type="button" data-copy="#recovery-codes" data-copied={i18n.t("secondFactor.codes.copied")} hidden>
            {i18n.t("secondFactor.codes.copy")}
          </button>
          <button type="button" data-print hidden>
            {i18n.t("secondFactor.codes.print")}
          </button>
          <LinkButton href={path} text="secondFactor.codes.kept" />
        </div>
      </>
    ),
  });
}

/** Light modules around the code (ISO/IEC 18004 section 6.3.8). */
const quietZone = 4;

/** QR code as inline SVG: dark on light in every theme, as scanners require. `label`: text for screen readers. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: quietZone });
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width={size * 4} height={size * 4} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(pathOfRow).join("")} fill="#000" />
    </svg>
  );
}

/** SVG path with one segment per run of dark modules. */
function pathOfRow(row: readonly boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < row.length; x++) {
    const start = x;
    while (row[x] === true) x++;
    if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`;
  }
  return path;
}
