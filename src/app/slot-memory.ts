/** Division of the machine's memory: the program, and a browser for each scan slot. Sizes in MiB. */

/** The program itself, with the threads of its slots. */
const programMiB = 400;
/** Less than this breaks ordinary pages. */
const slotMiBMin = 600;
/** More than this is never needed by an ordinary page. */
const browserMiBMax = 2_048;
const browserMiBMin = 384;
const childMiBMax = 1_024;
/** The rest of a browser's memory is for its other processes. */
const childShare = 0.75;

/** Slots whose browsers fit into the memory; at least one. */
export function slotsThatFit(machineMiB: number): number {
  return Math.max(1, Math.floor((machineMiB - programMiB) / slotMiBMin));
}

/** All processes of one browser. */
export function browserMemoryMax(machineMiB: number, slots: number): number {
  return clamp(Math.floor((machineMiB - programMiB) / slots), browserMiBMin, browserMiBMax);
}

/** One process of a browser. */
export function childMemoryMax(browserMiB: number): number {
  return Math.min(childMiBMax, Math.floor(browserMiB * childShare));
}

/** For the program and all browsers at their limits. */
export function memoryNeeded(slots: number, browserMiB: number): number {
  return programMiB + slots * browserMiB;
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
