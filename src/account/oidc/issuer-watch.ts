/** Keeps the configuration of an identity provider current, and notices when it fails and when it comes back. */
import { type Log, messageOf } from "../../base/log.ts";
import type { DiscoveredProvider } from "./provider.ts";

/** Until the provider is asked again after a success ... */
const refreshMs = 300_000;
/** ... and after failures: doubled each time. */
const retryMsMin = 2_000;
const retryMsMax = 60_000;

export interface IssuerWatch {
  /** Null until the provider has answered, and after it failed. */
  current(): DiscoveredProvider | null;
  /** Clause; null while the provider can be used. */
  fault(): string | null;
  /** Asks the provider now. Never rejects. */
  check(): Promise<void>;
  close(): void;
}

/** Begins at once, and asks in the background. */
export function watchIssuer(discover: () => Promise<DiscoveredProvider>, log: Pick<Log, "info" | "warn">): IssuerWatch {
  let provider: DiscoveredProvider | null = null;
  let fault: string | null = "the provider has not answered yet";
  let reported: string | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let closed = false;
  let checking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    try {
      provider = await discover();
      fault = null;
      failures = 0;
    } catch (error) {
      provider = null;
      fault = messageOf(error);
      failures += 1;
    }
    report();
    const waitMs = failures === 0 ? refreshMs : Math.min(retryMsMin * 2 ** (failures - 1), retryMsMax);
    if (timer !== null) clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void check(), waitMs).unref();
  }

  function report(): void {
    if (closed || reported === (fault ?? "")) return;
    reported = fault ?? "";
    if (fault === null) log.info("identity provider ready", { issuer: provider?.metadata.issuer ?? null });
    else log.warn("identity provider cannot be used; sign-in by it is off until it answers", { because: fault });
  }

  function check(): Promise<void> {
    checking ??= ask().finally(() => {
      checking = null;
    });
    return checking;
  }

  void check();
  return {
    current: () => provider,
    fault: () => fault,
    check,
    close: () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
