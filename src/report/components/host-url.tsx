/** Hosts and URLs for readers: host emphasized, Unicode first, long paths cut; wraps anywhere, bidi-safe. */
import { unicodeHost } from "../../text/display.ts";
import { useI18n } from "../context.ts";
import { UntrustedText } from "./untrusted-text.tsx";

/** Longer paths are cut in the middle, so that a list stays a list. */
const pathCharsMax = 48;
/** Characters kept at the end, where pages of one folder differ. */
const pathEndChars = 14;

interface UrlProps {
  /** ASCII form. */
  readonly url: string;
}

interface HostProps {
  /** ASCII form. */
  readonly host: string;
}

/** Host as readers know it, with its ASCII form after it where the two differ. */
export function HostName({ host }: HostProps) {
  return (
    <>
      <ReadableHost host={host} />
      <AsciiForm host={host} />
    </>
  );
}

function ReadableHost({ host }: HostProps) {
  const shown = unicodeHost(host);
  if (shown === host) return <UntrustedText>{host}</UntrustedText>;
  // One isolate for each label: right-to-left labels would change places.
  return (
    <>
      {shown.split(".").map((label, at) => (
        <span key={`${at} ${label}`}>
          {at > 0 && "."}
          <UntrustedText>{label}</UntrustedText>
        </span>
      ))}
    </>
  );
}

/** Null if the host is shown in ASCII already. */
function AsciiForm({ host }: HostProps) {
  const i18n = useI18n();
  if (unicodeHost(host) === host) return null;
  return (
    <span class="muted">
      {" "}
      (<span class="unseen">{i18n.t("components.url.ascii")} </span>
      <UntrustedText>{host}</UntrustedText>)
    </span>
  );
}

/** Whole URL; `short` cuts a long path. Text that is not a URL is shown as it is. */
export function HostUrl({ url, short = false }: UrlProps & { readonly short?: boolean }) {
  const parsed = URL.parse(url);
  // Searched after the scheme, which may contain a short host: http://t/.
  const hostAt = parsed === null || parsed.host === "" ? -1 : url.indexOf(parsed.host, parsed.protocol.length);
  if (parsed === null || hostAt === -1) return <UntrustedText>{url}</UntrustedText>;
  const path = url.slice(hostAt + parsed.hostname.length);
  return (
    <span class="url">
      <span class="muted">
        <UntrustedText>{url.slice(0, hostAt)}</UntrustedText>
      </span>
      <strong>
        <ReadableHost host={parsed.hostname} />
      </strong>
      <span class="muted">
        <UntrustedText>{short ? cutPath(path) : path}</UntrustedText>
      </span>
      <AsciiForm host={parsed.hostname} />
    </span>
  );
}

function cutPath(path: string): string {
  if (path.length <= pathCharsMax) return path;
  return `${path.slice(0, pathCharsMax - pathEndChars - 1)}\u2026${path.slice(-pathEndChars)}`;
}

/** Opens the whole URL where `HostUrl` has cut it; null elsewhere. Works without script. */
export function WholeUrl({ url }: UrlProps) {
  const i18n = useI18n();
  const parsed = URL.parse(url);
  if (parsed === null || url.length - parsed.origin.length <= pathCharsMax) return null;
  return (
    <details class="whole">
      <summary>{i18n.t("components.url.whole")}</summary>
      <UntrustedText>{url}</UntrustedText>
    </details>
  );
}

/** Unicode form in brackets. Null for hosts without A-labels (RFC 5890 section 2.3.2.1) that can be shown, and for other text. */
export function UnicodeHostName({ url }: UrlProps) {
  const host = URL.parse(url)?.hostname ?? "";
  const name = unicodeHost(host);
  if (name === host) return null;
  return (
    <span class="muted">
      {" ("}
      <UntrustedText>{name}</UntrustedText>)
    </span>
  );
}
