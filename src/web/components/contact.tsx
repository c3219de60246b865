/** Contact of the operator. */
import { ExternalLink } from "../../report/components/untrusted-text.tsx";

/** Operator contact from the settings: a mail address or a page. */
export function Contact({ address }: { readonly address: string }) {
  const mail = /^mailto:(.+)$/i.exec(address)?.[1];
  return mail === undefined ? <ExternalLink href={address}>{address}</ExternalLink> : <a href={address}>{mail}</a>;
}
