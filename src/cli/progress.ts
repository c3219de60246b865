/** Progress of scans on stderr: one updated line on a terminal, plain lines elsewhere. */
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import { printError, rewriteLine, stripControls } from "./terminal.ts";

/** Narrow enough that the line never wraps. */
const lineCharsMax = 79;

export interface Progress {
  /** In the queue of a server. */
  waiting(url: string): void;
  stage(url: string, stage: ProgressStage): void;
  /** `outcome` is one word, shown unchanged. */
  ended(url: string, outcome: string): void;
  /** Writes a whole line, newline included, above the updated line. */
  readonly interject: (line: string) => void;
  stop(): void;
}

const silent: Progress = {
  waiting: () => {},
  stage: () => {},
  ended: () => {},
  interject: (line) => printError(line.trimEnd()),
  stop: () => {},
};

export function startProgress(urls: number, wanted: boolean): Progress {
  if (!wanted) return silent;
  const live = process.stderr.isTTY === true;
  let done = 0;
  const writeLine = (url: string, state: string) => {
    const line = stripControls(`[${done}/${urls}] ${state}  ${url}`);
    if (live) rewriteLine(line.slice(0, lineCharsMax));
    else printError(line);
  };
  return {
    waiting: (url) => writeLine(url, "queued"),
    stage: (url, stage) => writeLine(url, `${stage} ${stagePercent[stage]}%`),
    ended: (url, outcome) => {
      done += 1;
      writeLine(url, outcome);
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
