/** Parts of the forms that change a channel or a rule: the link in a table row, and the buttons. */
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";

/** `name`: of the row, for readers who hear the link alone. */
export function EditLink({ href, name }: { readonly href: string; readonly name: string }) {
  const { i18n } = useVisit();
  const action = i18n.t("channels.actions.edit");
  return (
    <a class="button compact" href={href} aria-label={i18n.t("channels.actions.of", { action, name })}>
      {action}
    </a>
  );
}

export function SaveOrCancel({ cancelPath }: { readonly cancelPath: string }) {
  const { i18n } = useVisit();
  return (
    <p class="actions">
      <SubmitButton>{i18n.t("channels.edit.submit")}</SubmitButton>
      <a class="button" href={cancelPath}>
        {i18n.t("channels.edit.cancel")}
      </a>
    </p>
  );
}
