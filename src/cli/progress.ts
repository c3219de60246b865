/** How far scans are, on stderr: one line that changes on a terminal, plain lines elsewhere. */
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import { harmless, tell, tellOnSameLine } from "./terminal.ts";

/** Narrower than any terminal somebody works in, so that the line never wraps. */
const lineCharsMax = 79;

export interface Progress {
  stage(url: string, stage: ProgressStage): void;
  /** `how` is one word, as it is shown. */
  ended(url: string, how: string): void;
  /** Writes a whole line, its end included, without tearing the one that changes. */
  readonly interject: (line: string) => void;
  /** Leaves nothing behind on a terminal. */
  stop(): void;
}

const silent: Progress = { stage: () => {}, ended: () => {}, interject: (line) => tell(line.trimEnd()), stop: () => {} };

export function startProgress(urls: number, wanted: boolean): Progress {
  if (!wanted) return silent;
  const live = process.stderr.isTTY === true;
  let done = 0;
  const say = (url: string, what: string) => {
    const line = harmless(`[${done}/${urls}] ${what}  ${url}`);
    if (live) tellOnSameLine(line.slice(0, lineCharsMax));
    else tell(line);
  };
  return {
    stage: (url, stage) => say(url, `${stage} ${stagePercent[stage]}%`),
    ended: (url, how) => {
      done += 1;
      say(url, how);
    },
    interject: (line) => {
      if (live) tellOnSameLine("");
      tell(line.trimEnd());
    },
    stop: () => {
      if (live) tellOnSameLine("");
    },
  };
}
