/** Confirmation page before readers see a URL with possible secrets. */

import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { Form } from "../form.tsx";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { KeptLocation } from "./location-field.tsx";
import type { TypedUrl } from "./typed-url.ts";

export type SensitiveUrl = TypedUrl & { readonly kind: "sensitive" };

export function publicUrlPage(visit: Visit, { stripped, unstripped, credentials }: SensitiveUrl, location: string): Response {
  const { i18n, settings } = visit;
  const title = i18n.t(`visibility.${settings.config.readers}.url.title`);
  return page(visit, {
    title,
    noIndex: true,
    secret: true,
    children: (
      <>
        <h1>{title}</h1>
        <p class="lead">{i18n.t(`visibility.${settings.config.readers}.url.lead`)}</p>
        {credentials && <p>{i18n.t("publicUrl.credentials")}</p>}
        {unstripped !== null && <p>{i18n.t("publicUrl.query")}</p>}
        <section aria-labelledby="stripped">
          <h2 id="stripped">{i18n.t("publicUrl.stripped.title")}</h2>
          <Choice url={stripped} location={location} asPublic={false} button={i18n.t("publicUrl.stripped.button")} />
        </section>
        {unstripped !== null && (
          <section aria-labelledby="kept">
            <h2 id="kept">{i18n.t("publicUrl.kept.title")}</h2>
            <p>{i18n.t(`visibility.${settings.config.readers}.url.warning`)}</p>
            <Choice
              url={unstripped}
              location={location}
              asPublic={true}
              button={i18n.t(`visibility.${settings.config.readers}.url.button`)}
            />
          </section>
        )}
        <p>
          <a href="/">{i18n.t("publicUrl.back")}</a>
        </p>
      </>
    ),
  });
}

interface ChoiceProps {
  readonly url: string;
  readonly location: string;
  /** True after the visitor confirmed that everybody will see the URL. */
  readonly asPublic: boolean;
  readonly button: string;
}

function Choice({ url, location, asPublic, button }: ChoiceProps) {
  return (
    <Form action="/scans">
      <input type="hidden" name="url" value={url} />
      <KeptLocation location={location} />
      {asPublic && <input type="hidden" name="public" value="yes" />}
      <p>
        <code class="break">
          <UntrustedText>{url}</UntrustedText>
        </code>
      </p>
      <SubmitButton kind={asPublic ? "plain" : "primary"}>{button}</SubmitButton>
    </Form>
  );
}
