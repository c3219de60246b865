/** Chromium's command line: traffic only through the forward proxy of a scan, and no access to the user's files. */
import { statfsSync } from "node:fs";

export const sharedMemoryDir = "/dev/shm";
/** With less of it pages crash; containers usually have 64 MB. */
const sharedMemoryBytesMin = 512 * 1024 * 1024;
/** JavaScript heap of one page. A page that needs more crashes without affecting others. */
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

/** Chromium would throttle scanned pages as background pages. */
const unthrottled = [
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-hang-monitor",
  "--disable-prompt-on-repost",
];

/** SSRF guard: no connection without the proxy. */
const proxied = [
  // Each scan's context sets its own proxy; all other traffic goes to a closed port.
  "--proxy-server=http://127.0.0.1:1",
  "--proxy-bypass-list=<-loopback>",
  // The proxy resolves names. Without this, Chromium resolves hosts of subresources itself.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--disable-quic",
  // Each build of Chromium knows one of these two; without it, WebRTC sends UDP past the proxy.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  // WebRtcHideLocalIpsWithMdns would join the multicast group of mDNS for a page with WebRTC; the policy above gathers no local address to hide.
  "--disable-features=WebRtcHideLocalIpsWithMdns,OptimizationHints,MediaRouter,Translate,AcceptCHFrame,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,HttpsFirstBalancedModeAutoEnable",
];

export function chromiumFlags({ profileDir, sandbox }: { readonly profileDir: string; readonly sandbox: boolean }): readonly string[] {
  return [
    ...quiet,
    ...unthrottled,
    ...proxied,
    "--disable-gpu",
    `--js-flags=--max-old-space-size=${pageHeapMiBMax}`,
    `--user-data-dir=${profileDir}`,
    // Commands come by the pipe alone: a port would be open to every user of the machine.
    // Chromium exits when the pipe closes, which the kernel ensures when the owner dies.
    "--remote-debugging-pipe",
    ...(sandbox ? [] : ["--no-sandbox"]),
    ...(sharedMemoryIsSmall() ? ["--disable-dev-shm-usage"] : []),
    "about:blank",
  ];
}

/** Whether Chromium puts its shared memory into its temporary folder instead. */
export function sharedMemoryIsSmall(): boolean {
  try {
    const { blocks, bsize } = statfsSync(sharedMemoryDir);
    return blocks * bsize < sharedMemoryBytesMin;
  } catch {
    return true;
  }
}
