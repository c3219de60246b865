/** Logo: a small score ring. */
export function BrandMark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke-width="5">
      <circle class="mark-track" cx="16" cy="16" r="12" />
      <circle class="mark" cx="16" cy="16" r="12" pathLength={100} stroke-dasharray="87 100" transform="rotate(-90 16 16)" />
    </svg>
  );
}
