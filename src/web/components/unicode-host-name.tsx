/** Unicode form of an ASCII host name; shown after it, since two Unicode names can look alike. */
import { domainToUnicode } from "node:url";
import { UntrustedText } from "./untrusted-text.tsx";

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
