/** Paths of the pages on notifications. */
export const channelsPagePath = "/account/channels";
export const rulesPagePath = "/account/rules";
export const deliveriesPagePath = "/account/deliveries";
