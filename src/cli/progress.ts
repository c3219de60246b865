/** Progress of scans on stderr: one updated line on a terminal, elsewhere a line for each page that ended. */
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import { printError, rewriteLine, stripControls } from "./terminal.ts";

/** Narrow enough that the line never wraps. */
const lineCharsMax = 79;

export type Progress = ReturnType<typeof startProgress>;

/** Prints nothing but interjected lines unless it is wanted. `verbose`: each stage has a line of its own where lines are not updated. */
export function startProgress(urls: number, wanted: boolean, verbose = false) {
  const live = wanted && process.stderr.isTTY === true;
  let done = 0;
  let visits = 0;
  const writeLine = (url: string, state: string) => {
    if (!wanted) return;
    const line = stripControls(`[${done}/${urls}] ${state}  ${url}`);
    if (live) rewriteLine(line.slice(0, lineCharsMax));
    else printError(line);
  };
  const writeStage = (url: string, state: string) => {
    if (live || verbose) writeLine(url, state);
  };
  const stop = () => {
    if (live) rewriteLine("");
  };
  return {
    /** The scan is in the queue of a server. */
    waiting: (url: string) => writeStage(url, "queued"),
    stage: (url: string, stage: ProgressStage) => writeStage(url, `${stage} ${stagePercent[stage]}%`),
    /** One visit of a proof. */
    step: (url: string, step: string) => writeLine(url, `visit ${++visits}, ${step}`),
    /** `outcome` is one word, shown unchanged. */
    ended: (url: string, outcome: string) => {
      done += 1;
      writeLine(url, outcome);
    },
    /** Writes a whole line, newline included, above the updated line. */
    interject: (line: string) => {
      stop();
      printError(line.trimEnd());
    },
    stop,
  };
}
