/** `assay evidence capture`: writes what a scan of a page sees, without judging it. */
import { Command } from "commander";
import { evidenceText } from "../../authoring/scaffold-plugin.ts";
import { openOutputFile } from "../output-file.ts";
import { urlsFrom } from "../scan-targets.ts";
import { addSettings, configOf, scanSettings } from "../settings.ts";
import { note, print } from "../terminal.ts";
import { captureUrl } from "./capture-url.ts";

const examples = `
Examples:
  assay evidence capture https://example.com -o example.json
  assay evidence capture https://intranet.example --profile internal -o intranet.json

Credentials and parameters that look secret are removed, as in every scan. Exit codes are those of assay scan.`;

/** Plugins do not judge here, and there is one page. */
export const captureSettings = scanSettings.filter((key) => key !== "checks.dir" && key !== "scan.concurrency");

export function captureEvidenceCommand(): Command {
  const capture = new Command("capture")
    .description("Scan a page once and write its evidence as JSON: all that a check can read.")
    .argument("<url>", "page to scan; https:// is added where no scheme is given")
    .option("-o, --output <file>", "file to write, or - for stdout", "-")
    .addHelpText("after", examples)
    .action(async (given: string, _options, command: Command) => {
      const { output, quiet }: { readonly output: string; readonly quiet?: boolean } = command.optsWithGlobals();
      const [url = ""] = await urlsFrom([given]);
      const config = configOf(command);
      // Before the scan, so that a path that cannot be written costs no time.
      const file = output === "-" ? null : openOutputFile(output);
      const evidence = await captureUrl(url, config, quiet === true ? { quiet } : {});
      if (file === null) return print(evidenceText(evidence).trimEnd());
      await file.write(evidenceText(evidence));
      note(`wrote ${output}; "assay evidence show ${output}" prints it`);
    });
  return addSettings(capture, ["locale.default", ...captureSettings]);
}
