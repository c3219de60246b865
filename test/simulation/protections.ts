/** For each law, lines of the product that protect it. Without one of them, some seed must break the law. */

export interface Protection {
  /** Name of the law that must notice it; others may, too. */
  readonly law: string;
  /** What the line does. */
  readonly about: string;
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly line: string;
  readonly instead: string;
}

export const protections: readonly Protection[] = [
  {
    law: "hasOwnResult",
    about: "a scan is removed by its owner only while it waits",
    file: "src/store/start-scans.ts",
    line: 'if (scan?.status !== "queued") return scan?.status;',
    instead: "if (scan === undefined) return undefined;",
  },
  {
    law: "endsOnce",
    about: "the rows of an account end before those of the next account",
    file: "src/store/table.ts",
    line: "end: [accountId + 1, 0] }",
    instead: "end: [accountId + 2, 0] }",
  },
  {
    law: "hasOwnResult",
    about: "the result of a scan leaves with the scan",
    file: "src/store/scans.ts",
    line: "  db.results.remove(token);\n",
    instead: "",
  },
  {
    law: "staysCancelled",
    about: "only a scan that failed as cancelled counts as cancelled",
    file: "src/scan/dispatcher.ts",
    line: 'return job.errorCode === ("cancelled" satisfies ScanErrorCode) ? "cancelled" : "over";',
    instead: 'return "cancelled";',
  },
  {
    law: "nobodyWaits",
    about: "the end of a scan wakes the dispatcher",
    file: "src/scan/dispatcher.ts",
    line: "    claims.wake();\n",
    instead: "",
  },
  {
    law: "queueLimits",
    about: "interrupted scans return to the queue at a start",
    file: "src/scan/dispatcher.ts",
    line: "  await requeueInterrupted(options);\n",
    instead: "",
  },
  {
    law: "nobodyWaits",
    about: "a queue that could not be read is read again",
    file: "src/scan/dispatcher.ts",
    line: "      cancelRetry = clock.after(storeRetryMs, wake);\n",
    instead: "",
  },
  {
    law: "peopleFirst",
    about: "runs of sites have a lane behind all people",
    file: "src/store/queue.ts",
    line: "scheduled: { weight: 0, queueShare: 1 },",
    instead: "scheduled: { weight: 1, queueShare: 1 },",
  },
  {
    law: "queueLimits",
    about: "a location takes as many scans as it has slots",
    file: "src/scan/dispatcher.ts",
    line: "return location === localLocation ? concurrency :",
    instead: "return location === localLocation ? concurrency + 1 :",
  },
  {
    law: "queueLimits",
    about: "runs of sites leave a slot free",
    file: "src/scan/dispatcher.ts",
    line: "return Math.max(1, capacity - 1);",
    instead: "return capacity;",
  },
  {
    law: "queueLimits",
    about: "a network gets two scans at a time",
    file: "src/store/queue.ts",
    line: "return scans >= networkScansMax;",
    instead: "return scans > networkScansMax;",
  },
  {
    law: "queueLimits",
    about: "a full lane refuses scans",
    file: "src/store/queue.ts",
    line: "    if (places - (gaps ?? 0) >= share) return null;\n",
    instead: "",
  },
  {
    law: "memoryIsBounded",
    about: "a look at the deliveries replaces the timer of the one before",
    file: "src/channels/deliverer.ts",
    line: "    if (this.#stopped) return;\n    this.#cancelLook();\n",
    instead: "    if (this.#stopped) return;\n",
  },
  {
    law: "placesAgree",
    about: "the trend gets the score of each confirmed run",
    file: "src/sites/conclude-run.ts",
    line: "trend: [...site.trend, shown],",
    instead: "trend: site.trend,",
  },
  {
    law: "placesAgree",
    about: "the history gets each confirmed run",
    file: "src/store/site-runs.ts",
    line: "  if (history !== null) putHistory(db, siteId, history);\n",
    instead: "",
  },
  {
    law: "staysDeleted",
    about: "what is kept of a site leaves with it",
    file: "src/store/sites.ts",
    line: '  db.removeRows("ofSite", { id, email: "" });\n',
    instead: "",
  },
  {
    law: "alarmsAreNotHeldUp",
    about: "second looks have no budget",
    file: "src/sites/run-starts.ts",
    line: "next: (): Run | null => unlimited.next().value ?? (counted.mayStartInterval() ? turns.interval.next() : null) ?? turns.first.next(),",
    instead:
      "next: (): Run | null => (recentStarts.length < 3 ? unlimited.next().value : null) ?? (counted.mayStartInterval() ? turns.interval.next() : null) ?? turns.first.next(),",
  },
  {
    law: "eachGetsItsShare",
    about: "the account with the fewest starts goes first",
    file: "src/sites/run-starts.ts",
    line: "return difference < 0 || (difference === 0 && one.dueAt < other.dueAt);",
    instead: "return difference > 0 || (difference === 0 && one.dueAt < other.dueAt);",
  },
  {
    law: "planLimits",
    about: "a plan has a limit of sites",
    file: "src/store/sites.ts",
    line: '    if (urls.size >= sitesMax) return "full";\n',
    instead: "",
  },
  {
    law: "toldOnce",
    about: "the outcome of an attempt is stored again while the disk is full",
    file: "src/channels/deliverer.ts",
    line: "} while (!this.#ending.signal.aborted);",
    instead: "} while (this.#stopped && !this.#ending.signal.aborted);",
  },
  {
    law: "toldOnce",
    about: "a delivery that was taken waits no longer",
    file: "src/channels/deliverer.ts",
    line: 'if (attempted.result === "delivered") return { state: "delivered" };',
    instead: 'if (attempted.result === "delivered" && delivery.attempts.length > 0) return { state: "delivered" };',
  },
  {
    law: "queuedForEach",
    about: "an event and its deliveries are stored together",
    file: "src/store/site-events.ts",
    line: "  queueDeliveries(db, accountId, added, now);\n",
    instead: "  if (added.length === 1) queueDeliveries(db, accountId, added, now);\n",
  },
  {
    law: "noEarlyPraise",
    about: "findings stay open until the second look",
    file: "src/sites/conclude-run.ts",
    line: "first.isAwaited ? compared(true) : first;",
    instead: "first;",
  },
  {
    law: "toldInOrder",
    about: "the next delivery of a channel is the one that waits longest",
    file: "src/store/deliveries.ts",
    line: "waitMs: isDigest ? digestMs : 0 });",
    instead: "waitMs: isDigest ? digestMs : (event.seq % 2) * digestMs });",
  },
  {
    law: "attemptLimits",
    about: "a channel gets one delivery at a time",
    file: "src/channels/pacing.ts",
    line: "if (taken.has(channelId) || candidates.has(channelId)) return false;",
    instead: "if (candidates.has(channelId)) return false;",
  },
];
