/** Paths of the pages on notifications, and ids in their forms. */
export const channelsPagePath = "/account/channels";
export const rulesPagePath = "/account/rules";
export const deliveriesPagePath = "/account/deliveries";

const idPattern = /^[1-9]\d{0,14}$/;

/** 0, which no record has, for anything but an id. */
export function recordIdOf(text: string): number {
  return idPattern.test(text) ? Number(text) : 0;
}
