/** Asks before an address becomes public that holds what somebody may not want to show. */
import { page } from "../answer.tsx";
import { Foreign } from "../components/foreign.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { Form } from "../form.tsx";
import type { Visit } from "../visit.ts";
import type { TypedUrl } from "./typed-url.ts";

export type TellingUrl = TypedUrl & { readonly kind: "telling" };

export function publicUrlPage(visit: Visit, { stripped, kept, credentials }: TellingUrl): Response {
  const { words } = visit;
  const title = words.say("publicUrl.title");
  return page(visit, {
    title,
    noIndex: true,
    secret: true,
    children: (
      <>
        <h1>{title}</h1>
        <p class="lead">{words.say("publicUrl.lead")}</p>
        {credentials && <p>{words.say("publicUrl.credentials")}</p>}
        {kept !== null && <p>{words.say("publicUrl.query")}</p>}
        <section aria-labelledby="stripped">
          <h2 id="stripped">{words.say("publicUrl.stripped.title")}</h2>
          <Choice url={stripped} asPublic={false} button={words.say("publicUrl.stripped.button")} />
        </section>
        {kept !== null && (
          <section aria-labelledby="kept">
            <h2 id="kept">{words.say("publicUrl.kept.title")}</h2>
            <p>{words.say("publicUrl.kept.warning")}</p>
            <Choice url={kept} asPublic={true} button={words.say("publicUrl.kept.button")} />
          </section>
        )}
        <p>
          <a href="/">{words.say("publicUrl.back")}</a>
        </p>
      </>
    ),
  });
}

interface ChoiceProps {
  readonly url: string;
  /** The visitor has read that everybody will see it. */
  readonly asPublic: boolean;
  readonly button: string;
}

function Choice({ url, asPublic, button }: ChoiceProps) {
  return (
    <Form action="/scans">
      <input type="hidden" name="url" value={url} />
      {asPublic && <input type="hidden" name="public" value="yes" />}
      <p>
        <code class="break">
          <Foreign>{url}</Foreign>
        </code>
      </p>
      <SubmitButton kind={asPublic ? "plain" : "primary"}>{button}</SubmitButton>
    </Form>
  );
}
