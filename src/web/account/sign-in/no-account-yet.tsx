/** Instructions on `/sign-in` while no account exists: three ways to create the first. */
import { useI18n } from "../../../report/context.ts";
import { CommandLine } from "../fields.tsx";

export function FirstAccountHelp() {
  const i18n = useI18n();
  return (
    <>
      <h1>{i18n.t("signIn.empty.title")}</h1>
      <p>{i18n.t("signIn.empty.intro")}</p>
      <ol>
        <li>
          {i18n.t("signIn.empty.link")}
          <CommandLine>assay user setup-link</CommandLine>
        </li>
        <li>
          {i18n.t("signIn.empty.create")}
          <CommandLine>assay user create you@example.com --admin --password-stdin</CommandLine>
        </li>
        <li>{i18n.t("signIn.empty.settings")}</li>
      </ol>
    </>
  );
}
