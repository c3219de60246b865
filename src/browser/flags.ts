/** Chromium's command line: nothing leaves but through a scan's own proxy, and nothing of the machine is touched. */
import { statfsSync } from "node:fs";

/** Below this, in bytes, Chromium's shared memory does not fit and pages crash (a container's usual 64 MB). */
const sharedMemoryBytesMin = 512 * 1024 * 1024;
/** JavaScript heap of one page, in MiB: a page that wants more crashes alone. */
const pageHeapMiBMax = 512;

const quiet = [
  "--headless",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-sync",
  "--disable-field-trial-config",
  "--disable-client-side-phishing-detection",
  "--disable-search-engine-choice-screen",
  "--metrics-recording-only",
  "--password-store=basic",
  "--use-mock-keychain",
  "--mute-audio",
  "--hide-scrollbars",
];

/** Pages of a scan are watched from outside: they must not be slowed down for being in the background. */
const awake = [
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-hang-monitor",
  "--disable-prompt-on-repost",
];

const confined = [
  // Each scan's context names its own proxy; what belongs to no scan meets a closed port.
  "--proxy-server=http://127.0.0.1:1",
  "--proxy-bypass-list=<-loopback>",
  // Names are the proxy's business. Without this Chromium looks up hosts of subresources by itself, for checks of its own.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--disable-quic",
  // Each build of Chromium knows one of these two; without it WebRTC sends UDP past any proxy.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-features=OptimizationHints,MediaRouter,Translate,AcceptCHFrame,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,HttpsFirstBalancedModeAutoEnable",
];

export function chromiumFlags({ profileDir, sandbox }: { readonly profileDir: string; readonly sandbox: boolean }): readonly string[] {
  return [
    ...quiet,
    ...awake,
    ...confined,
    "--disable-gpu",
    `--js-flags=--max-old-space-size=${pageHeapMiBMax}`,
    `--user-data-dir=${profileDir}`,
    "--remote-debugging-port=0",
    // The pipe is not spoken to: Chromium ends when it closes, and the kernel closes it whatever way its owner dies.
    "--remote-debugging-pipe",
    ...(sandbox ? [] : ["--no-sandbox"]),
    ...(sharedMemoryIsSmall() ? ["--disable-dev-shm-usage"] : []),
    "about:blank",
  ];
}

function sharedMemoryIsSmall(): boolean {
  try {
    const { blocks, bsize } = statfsSync("/dev/shm");
    return blocks * bsize < sharedMemoryBytesMin;
  } catch {
    return true;
  }
}
