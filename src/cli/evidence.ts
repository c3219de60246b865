/** `assay evidence`: captures evidence of a page into a file, and prints it. */
import { Command } from "commander";
import { captureEvidenceCommand } from "./evidence/capture.ts";
import { showEvidenceCommand } from "./evidence/show.ts";

const examples = `
Examples:
  assay evidence capture https://example.com -o example.json
  assay evidence show example.json
  assay judge example.json                              the report of that evidence
  assay checks try acme-build.ts example.json           what one check makes of it`;

export function evidenceCommand(): Command {
  return new Command("evidence")
    .description("Capture and show evidence: what a scan saw, without judging it.")
    .addHelpText("after", examples)
    .addCommand(captureEvidenceCommand())
    .addCommand(showEvidenceCommand());
}
