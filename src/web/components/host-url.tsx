/** URL with its host emphasized; wraps anywhere, bidi-safe. */
import { domainToUnicode } from "node:url";
import { UntrustedText } from "./untrusted-text.tsx";

/** Text that is not a URL is shown as it is. */
export function HostUrl({ url }: { readonly url: string }) {
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

/** Null for hosts without A-labels (RFC 5890 section 2.3.2.1) and for text that is not a URL. */
export function UnicodeHostName({ url }: { readonly url: string }) {
  const host = URL.parse(url)?.hostname ?? "";
  const name = domainToUnicode(host);
  if (name === "" || name === host) return null;
  return (
    <span class="muted">
      {" ("}
      <UntrustedText>{name}</UntrustedText>)
    </span>
  );
}
