/** A URL as text: its host stands out, it breaks anywhere, and nothing in it turns or hides what stands around it. */
import { Foreign } from "./foreign.tsx";
import { NameInUnicode } from "./name-in-unicode.tsx";

interface HostUrlProps {
  readonly url: string;
}

/** What is no URL is shown as it is. */
export function HostUrl({ url }: HostUrlProps) {
  const host = URL.parse(url)?.host ?? "";
  const hostAt = host === "" ? -1 : url.indexOf(host);
  if (hostAt === -1) return <Foreign>{url}</Foreign>;
  return (
    <span class="url">
      <span class="muted">
        <Foreign>{url.slice(0, hostAt)}</Foreign>
      </span>
      <Foreign>{host}</Foreign>
      <span class="muted">
        <Foreign>{url.slice(hostAt + host.length)}</Foreign>
      </span>
      <NameInUnicode url={url} />
    </span>
  );
}
