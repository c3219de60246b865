/** Examples of bodies for the OpenAPI description. A test holds them against the schemas. */

const token = "67nIDqqCondMLX7iB8bYxR";
const statusUrl = `/api/v1/scans/${token}`;
const url = "https://bakery.example/";
const site = { id: 12, name: "Bakery Miller", url, client: "Miller Ltd", tags: ["shop"] };
const rating = { score: 88, band: "good", rank: "strong", open: 3 };

export const acceptanceExample = {
  code: "security.missing-header.content-security-policy",
  reason: "The shop system needs it.",
  until: "2099-12-31",
  acceptedAt: "2026-03-01T09:00:00.000Z",
};

const siteListItemExample = {
  ...site,
  pages: ["https://bakery.example/shop"],
  location: "local",
  schedule: { every: "daily" },
  paused: false,
  accepted: [acceptanceExample],
  createdAt: "2026-02-01T08:00:00.000Z",
  nextRunAt: "2026-03-06T04:17:00.000Z",
  secondLookAt: null,
  lastRunAt: "2026-03-05T04:17:00.000Z",
  run: null,
  failingSince: null,
  reading: { token, statusUrl, at: "2026-03-05T04:17:40.000Z", ...rating, certificateExpiresAt: "2026-05-20T12:00:00.000Z" },
  trend: [81, 84, 88],
};

export const siteExample = {
  ...siteListItemExample,
  nextRuns: ["2026-03-06T04:17:00.000Z", "2026-03-07T04:17:00.000Z", "2026-03-08T04:17:00.000Z"],
};

export const siteListExample = { items: [siteListItemExample], nextCursor: "12" };

export const siteRunExample = {
  kind: "manual",
  startedAt: "2026-03-05T09:30:00.000Z",
  scans: [{ url, token, statusUrl }],
};

export const bulkSitesScannedExample = {
  items: [
    { id: 12, run: siteRunExample },
    { id: 13, error: { status: 409, errorMessage: "A run of this site is under way; wait for its end." } },
  ],
};

export const siteHistoryExample = { items: [{ at: "2026-03-05T04:17:40.000Z", token, statusUrl, ...rating }] };

export const bulkSitesAddedExample = {
  dryRun: false,
  items: [
    {
      index: 0,
      line: null,
      url,
      site: {
        ...site,
        pages: [],
        location: "local",
        schedule: { every: "weekly" },
        paused: false,
        nextRunAt: "2026-03-05T09:30:00.000Z",
      },
    },
    {
      index: 1,
      line: null,
      url,
      error: { status: 409, errorMessage: "The account watches this url already.", fieldErrors: { url: ["is watched already"] } },
    },
  ],
};

const noSuchSite = { status: 404, errorMessage: "There is no such site." };
export const bulkSitesChangedExample = {
  items: [
    { id: 12, site: siteListItemExample },
    { id: 13, error: noSuchSite },
  ],
};
export const bulkSitesRemovedExample = {
  items: [
    { id: 12, removed: true },
    { id: 13, error: noSuchSite },
  ],
};

export const channelExample = {
  id: 3,
  kind: "webhook",
  name: "Chat",
  target: "https://hooks.example/assay",
  createdAt: "2026-02-01T08:00:00.000Z",
  verifiedAt: "2026-02-01T08:00:00.000Z",
  confirmationExpiresAt: null,
  disabled: null,
  secretCount: 1,
};
/** Zeros: no scanner of sources must take it for a secret that is in use. */
const secret = `whsec_${"A".repeat(43)}=`;
export const channelAddedExample = { ...channelExample, secret, confirmation: null };
export const channelWithSecretExample = { ...channelExample, secretCount: 2, secret };
export const channelConfirmationExample = {
  ...channelExample,
  kind: "mail",
  name: "Team",
  target: "team@agency.example",
  verifiedAt: null,
  confirmationExpiresAt: "2026-03-08T09:30:00.000Z",
  secretCount: 0,
  confirmation: "sent",
};
export const channelListExample = { items: [channelExample] };
export const channelTestExample = { result: "failed", status: 500, ms: 83, because: "status" };

export const ruleExample = {
  id: 5,
  scope: { kind: "tag", tag: "shop" },
  events: ["finding.opened", "site.score_dropped"],
  severityMin: "medium",
  channelIds: [3],
  createdAt: "2026-02-01T08:00:00.000Z",
};
export const ruleListExample = { items: [ruleExample] };

const eventExample = {
  id: "evt_4Zk0XyR7mQ2bVn9TsLw3Hd",
  type: "site.score_dropped",
  at: "2026-03-05T04:27:40.000Z",
  site,
  token,
  statusUrl,
  data: { from: 88, to: 61, band: "warn", rank: "weak" },
};
export const eventListExample = { items: [eventExample], nextCursor: null };

const deliveryRow = {
  id: 40,
  channelId: 3,
  state: "waiting",
  createdAt: "2026-03-05T04:27:40.000Z",
  nextAttemptAt: "2026-03-05T04:32:45.000Z",
  attempts: [{ at: "2026-03-05T04:27:40.000Z", ms: 83, status: 500, because: "status" }],
  eventCount: 1,
};
export const deliveryListExample = { items: [deliveryRow], nextCursor: "40" };
export const deliveryExample = { ...deliveryRow, events: [eventExample] };
