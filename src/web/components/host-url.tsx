/** URL with its host emphasized; wraps anywhere, bidi-safe. */

import { UnicodeHostName } from "./unicode-host-name.tsx";
import { UntrustedText } from "./untrusted-text.tsx";

interface HostUrlProps {
  readonly url: string;
}

/** Text that is not a URL is shown as it is. */
export function HostUrl({ url }: HostUrlProps) {
  const host = URL.parse(url)?.host ?? "";
  const hostAt = host === "" ? -1 : url.indexOf(host);
  if (hostAt === -1) return <UntrustedText>{url}</UntrustedText>;
  return (
    <span class="url">
      <span class="muted">
        <UntrustedText>{url.slice(0, hostAt)}</UntrustedText>
      </span>
      <UntrustedText>{host}</UntrustedText>
      <span class="muted">
        <UntrustedText>{url.slice(hostAt + host.length)}</UntrustedText>
      </span>
      <UnicodeHostName url={url} />
    </span>
  );
}
