/** What `/sign-in` says on an appliance without accounts: the three doors to the first one. */
import { useWords } from "../../context.ts";
import { CommandLine } from "../fields.tsx";

export function NoAccountYet() {
  const words = useWords();
  return (
    <>
      <h1>{words.say("signIn.empty.title")}</h1>
      <p>{words.say("signIn.empty.intro")}</p>
      <ol>
        <li>
          {words.say("signIn.empty.link")}
          <CommandLine>assay user setup-link</CommandLine>
        </li>
        <li>
          {words.say("signIn.empty.create")}
          <CommandLine>assay user create you@example.com --admin --password-stdin</CommandLine>
        </li>
        <li>{words.say("signIn.empty.settings")}</li>
      </ol>
    </>
  );
}
