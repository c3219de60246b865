/** Progress of scans on stderr: one updated line on a terminal, plain lines elsewhere. */
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import { printError, rewriteLine, stripControls } from "./terminal.ts";

/** Narrow enough that the line never wraps. */
const lineCharsMax = 79;

export interface Progress {
  stage(url: string, stage: ProgressStage): void;
  /** `how` is one word, shown as it is. */
  ended(url: string, how: string): void;
  /** Writes a whole line, newline included, above the updated line. */
  readonly interject: (line: string) => void;
  /** Clears the updated line. */
  stop(): void;
}

const silent: Progress = { stage: () => {}, ended: () => {}, interject: (line) => printError(line.trimEnd()), stop: () => {} };

export function startProgress(urls: number, wanted: boolean): Progress {
  if (!wanted) return silent;
  const live = process.stderr.isTTY === true;
  let done = 0;
  const say = (url: string, what: string) => {
    const line = stripControls(`[${done}/${urls}] ${what}  ${url}`);
    if (live) rewriteLine(line.slice(0, lineCharsMax));
    else printError(line);
  };
  return {
    stage: (url, stage) => say(url, `${stage} ${stagePercent[stage]}%`),
    ended: (url, how) => {
      done += 1;
      say(url, how);
    },
    interject: (line) => {
      if (live) rewriteLine("");
      printError(line.trimEnd());
    },
    stop: () => {
      if (live) rewriteLine("");
    },
  };
}
