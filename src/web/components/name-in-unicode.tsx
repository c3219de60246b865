/** The name behind an ASCII one, for those who know their site by it; the ASCII one stands first, since two names can look alike. */
import { domainToUnicode } from "node:url";
import { UntrustedText } from "./untrusted-text.tsx";

/** Nothing for a host that is written in ASCII (RFC 5890 section 2.3.2.1), and for what is no URL. */
export function NameInUnicode({ url }: { readonly url: string }) {
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
