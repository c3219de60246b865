/** `assay evidence`: captures evidence of a page into a file, and prints it. */
import { Command } from "commander";
import { captureEvidenceCommand } from "./evidence/capture.ts";
import { showEvidenceCommand } from "./evidence/show.ts";

export function evidenceCommand(): Command {
  return new Command("evidence")
    .description("Capture and show evidence: what a scan saw, without judging it.")
    .addCommand(captureEvidenceCommand())
    .addCommand(showEvidenceCommand());
}
